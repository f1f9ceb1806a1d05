package denoise

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// A file tells whether its pages show one scene, unless that is used already.
func TestOneScene(t *testing.T) {
	const w, h = 128, 96
	_, related := panSeries(4, w, h, 15, pan)
	far := func(i int) (x, y float64) { return float64(1000 * i), float64(3000 * i * i) }
	_, unrelated := panSeries(4, w, h, 15, far)
	_, noise := panSeries(4, w, h, 15, pan)
	for _, p := range noise {
		clear(p)
	}
	for _, test := range []struct {
		name        string
		pages       [][]float32
		o           Options
		description string
		want        bool
	}{
		{"one scene", related, Options{}, "", true},
		{"in time", related, Options{}, "ImageJ=1.53\nimages=4\nframes=4\n", true},
		{"in depth", related, Options{}, "ImageJ=1.53\nimages=4\nslices=4\n", false},
		{"together", related, Options{Together: true}, "", false},
		{"several scenes", unrelated, Options{}, "", false},
		{"two pages", related[:2], Options{}, "", false},
		{"nothing", noise, Options{}, "", false},
	} {
		test.o.Noise, test.o.Sigma = Gaussian, 15
		file := stackFile(t, test.pages, w, h, imageio.Depth8)
		if test.description != "" {
			file = described(file, test.description)
		}
		if _, r := streamed(t, file, FileOptions{Options: test.o}); r.OneScene != test.want {
			t.Errorf("%s: %v", test.name, r.OneScene)
		}
	}
}

// described gives the first page of a TIFF file a description: its directory is written again at the end of the file.
func described(file []byte, text string) []byte {
	const entry, tagDescription, typeASCII = 12, 270, 2
	le := binary.LittleEndian
	at := int(le.Uint32(file[4:]))
	n := int(le.Uint16(file[at:]))
	entries := slices.Clone(file[at+2 : at+2+entry*n])
	next := file[at+2+entry*n:][:4]
	own := le.AppendUint32(le.AppendUint16(le.AppendUint16(nil, tagDescription), typeASCII), uint32(len(text)+1))
	own = le.AppendUint32(own, uint32(len(file)))
	place := 0
	for place < n && le.Uint16(entries[entry*place:]) < tagDescription {
		place++
	}
	out := append(slices.Clone(file), text...)
	out = append(out, make([]byte, 1+(len(text)+1)%2)...)
	le.PutUint32(out[4:], uint32(len(out)))
	out = le.AppendUint16(out, uint16(n+1))
	return append(append(out, slices.Insert(entries, entry*place, own...)...), next...)
}
