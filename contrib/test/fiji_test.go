//go:build hosts

package test

import (
	"archive/zip"
	"compress/gzip"
	"crypto/sha1"
	"encoding/hex"
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// updateSite makes an update site of Fiji at a time, or adds a version to it, and returns the path of the plug-in.
func updateSite(t *testing.T, folder, seconds string) string {
	t.Helper()
	out := host(t, folder, []string{"SOURCE_DATE_EPOCH=" + seconds}, "/usr/bin/python3",
		contrib+"/imagej/update_site.py", "/usr/share/java/ij.jar", folder)
	return strings.TrimSpace(out)
}

// An updater knows the versions of a plug-in from the list of the site.
type updateList struct {
	Plugins []struct {
		Filename string    `xml:"filename,attr"`
		Current  version   `xml:"version"`
		Previous []version `xml:"previous-version"`
	} `xml:"plugin"`
}

type version struct {
	Checksum  string `xml:"checksum,attr"`
	Timestamp string `xml:"timestamp,attr"`
	Obsolete  string `xml:"timestamp-obsolete,attr"`
	Size      int64  `xml:"filesize,attr"`
}

func readUpdateList(t *testing.T, folder string) (list updateList) {
	t.Helper()
	f := must.Get(os.Open(folder + "/db.xml.gz"))(t)
	defer f.Close()
	z := must.Get(gzip.NewReader(f))(t)
	must.Do(t, xml.NewDecoder(z).Decode(&list))
	return list
}

// archiveChecksum is the checksum that the updater of Fiji makes of a plug-in: of names and contents, in the order of
// names.
func archiveChecksum(t *testing.T, path string) string {
	t.Helper()
	z := must.Get(zip.OpenReader(path))(t)
	defer z.Close()
	slices.SortFunc(z.File, func(a, b *zip.File) int { return strings.Compare(a.Name, b.Name) })
	digest := sha1.New()
	for _, f := range z.File {
		io.WriteString(digest, f.Name)
		r := must.Get(f.Open())(t)
		must.Get(io.Copy(digest, r))(t)
	}
	return hex.EncodeToString(digest.Sum(nil))
}

func TestFijiUpdateSite(t *testing.T) {
	t.Parallel()
	site := t.TempDir()
	plugin := updateSite(t, site, "1000000000")
	if want := site + "/plugins/Blorc_Denoise.jar-20010909014640"; plugin != want {
		t.Fatalf("the plug-in is %s, want %s", plugin, want)
	}
	info := must.Get(os.Stat(plugin))(t)
	list := readUpdateList(t, site)
	want := version{Checksum: archiveChecksum(t, plugin), Timestamp: "20010909014640", Size: info.Size()}
	if len(list.Plugins) != 1 || list.Plugins[0].Filename != "plugins/Blorc_Denoise.jar" ||
		list.Plugins[0].Current != want || list.Plugins[0].Previous != nil {
		t.Fatalf("%+v, want %+v", list, want)
	}
	before := must.Get(os.ReadFile(site + "/db.xml.gz"))(t)
	if out := updateSite(t, site, "1100000000"); out != "nothing has changed" {
		t.Error(out)
	}
	// The same source at the same time gives the same bytes.
	again := t.TempDir()
	updateSite(t, again, "1000000000")
	for _, name := range []string{"db.xml.gz", "plugins/" + filepath.Base(plugin)} {
		a := must.Get(os.ReadFile(filepath.Join(site, name)))(t)
		b := must.Get(os.ReadFile(filepath.Join(again, name)))(t)
		if string(a) != string(b) || name == "db.xml.gz" && string(a) != string(before) {
			t.Errorf("%s differs", name)
		}
	}
	// Of another plug-in, the site keeps the version before.
	changed := strings.Replace(gunzip(t, before), want.Checksum, strings.Repeat("0", 40), 1)
	writeGzip(t, site+"/db.xml.gz", changed)
	updateSite(t, site, "1200000000")
	got := readUpdateList(t, site).Plugins[0]
	if got.Current.Checksum != want.Checksum || got.Current.Timestamp != "20080110212000" || len(got.Previous) != 1 ||
		got.Previous[0] != (version{Checksum: strings.Repeat("0", 40), Timestamp: "20010909014640",
			Obsolete: "20080110212000"}) {
		t.Errorf("%+v", got)
	}
}

func gunzip(t *testing.T, data []byte) string {
	t.Helper()
	z := must.Get(gzip.NewReader(strings.NewReader(string(data))))(t)
	text := must.Get(io.ReadAll(z))(t)
	return string(text)
}

func writeGzip(t *testing.T, path, text string) {
	t.Helper()
	f := must.Get(os.Create(path))(t)
	z := gzip.NewWriter(f)
	must.Get(io.WriteString(z, text))(t)
	must.Do(t, z.Close())
	must.Do(t, f.Close())
}
