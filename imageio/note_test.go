package imageio

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

const line = `denoiser 1.0: white noise, sigma 12.3 (found); "a" <b> & 'c'`

// noteIn returns what exiftool says of the history of a file.
func noteIn(t *testing.T, path string) string {
	t.Helper()
	out := run(t, "exiftool", "-a", "-s", "-n", "-XMP-xmpMM:all", "-Software", "-Comment", "-Warning", "-Error", path)
	return strings.Join(strings.Fields(out), " ")
}

// TestNote adds a note to files with and without a history, and checks with exiftool where it is.
func TestNote(t *testing.T) {
	dir := t.TempDir()
	history := "HistoryAction : filtered HistorySoftwareAgent : denoiser 1.0 HistoryParameters : " +
		line[len("denoiser 1.0: "):]
	extensions := map[Format]string{PNG: ".png", JPEG: ".jpg", TIFF: ".tif"}
	for f, file := range richFilesOf(t, 4000) {
		for to, ext := range extensions {
			if to != f && f != JPEG {
				continue
			}
			path := filepath.Join(dir, "a"+ext)
			out := encoded(t, decoded(t, file, ReadOptions{}), WriteOptions{Format: to, Note: line})
			got := noteIn(t, writeFile(t, path, out))
			if !strings.HasPrefix(got, history) {
				t.Errorf("%v to %v: %s", f, to, got)
			}
			if !bytes.Contains(out, []byte("A title")) {
				t.Errorf("%v to %v: the XMP is lost", f, to)
			}
			if f != to {
				continue
			}
			again := encoded(t, decoded(t, out, ReadOptions{}), WriteOptions{Note: "other 2: more"})
			if got := noteIn(t, writeFile(t, path, again)); !strings.HasPrefix(got,
				"HistoryAction : filtered HistoryAction : filtered") &&
				!strings.Contains(got, "denoiser 1.0, other 2") &&
				!strings.Contains(got, "HistorySoftwareAgent : denoiser 1.0 HistorySoftwareAgent : other 2") {
				t.Errorf("%v to %v, twice: %s", f, to, got)
			}
		}
	}
	plain := noise(20, 10, 3, false, Depth8, 1)
	for to, want := range map[Format]string{PNG: "Software : " + line, JPEG: history, TIFF: "Software : " + line} {
		path := writeFile(t, filepath.Join(dir, "b"+extensions[to]),
			encoded(t, plain, WriteOptions{Format: to, Note: line, Strip: true}))
		if got := noteIn(t, path); got != want {
			t.Errorf("%v without metadata: %s", to, got)
		}
		second := encoded(t, readBack(t, plain, WriteOptions{Format: to, Note: line}),
			WriteOptions{Note: "other 2: ümlaut"})
		got := noteIn(t, writeFile(t, path, second))
		if !strings.Contains(got, "ümlaut") || !strings.Contains(got, "denoiser 1.0") ||
			strings.Contains(got, "Warning") {
			t.Errorf("%v, twice: %s", to, got)
		}
	}
	file := withExif(buildJPEG(t, scene(24, 16)), richExif(be))
	path := writeFile(t, filepath.Join(dir, "c.jpg"), encoded(t, decoded(t, file, ReadOptions{}),
		WriteOptions{Note: line}))
	if got := noteIn(t, path); !strings.HasPrefix(got, history) {
		t.Error(got)
	}
	run(t, "pngcheck", "-q", filepath.Join(dir, "b.png"))
}

// TestLongNote checks that a note of any length leaves the file in order.
func TestLongNote(t *testing.T) {
	img := noise(9, 8, 1, false, Depth8, 1)
	for _, f := range []Format{PNG, JPEG, TIFF} {
		got := readBack(t, img, WriteOptions{Format: f, Note: "a 1: " + strings.Repeat(`"`, 70_000)})
		if len(got.Warnings) > 0 {
			t.Errorf("%v: %q", f, got.Warnings)
		}
	}
}

// TestNoteInOddPackets adds notes to packets that cannot take them.
func TestNoteInOddPackets(t *testing.T) {
	for _, packet := range []string{"", "text", `<rdf:RDF><xmpMM:History/></rdf:RDF>`, packetLong()} {
		file := withSegments(buildJPEG(t, scene(24, 16)), segment{markerAPP1, []byte(headXMP + packet)})
		out := encoded(t, decoded(t, file, ReadOptions{}), WriteOptions{Note: "a\nb\x00c\xff"})
		if !bytes.Contains(out, append(fmt.Appendf(nil, "\xff\xfe\x00%c", 2+len("a b\x00c?")), "a b\x00c?"...)) ||
			!bytes.Contains(out, []byte(headXMP+packet)) {
			t.Errorf("%.30q: no comment", packet)
		}
	}
	if got := addHistory([]byte(`<rdf:RDF><rdf:Description rdf:about='uuid:1'/></rdf:RDF>`), "x"); !bytes.Contains(got,
		[]byte(`rdf:about='uuid:1' xmlns:xmpMM`)) {
		t.Errorf("%s", got)
	}
}

// packetLong returns a packet that fills its segment.
func packetLong() string {
	const head, tail = "<rdf:RDF>", "</rdf:RDF>"
	return head + strings.Repeat(" ", maxSegment-len(headXMP)-len(head)-len(tail)) + tail
}
