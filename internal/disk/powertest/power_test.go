package powertest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/disk"
	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// What is not flushed may be there, in part or not at all; what is flushed is there.
func TestLosses(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dir")
	for _, c := range []struct {
		file, folder bool // is flushed
		want         []string
	}{
		{false, false, []string{"map[a:]", "map[a:new!]", "map[a:ne]", "map[a:old b:]", "map[a:old b:new!]",
			"map[a:old b:ne]", "map[a:old]"}},
		{true, false, []string{"map[a:new!]", "map[a:old b:new!]", "map[a:old]"}},
		{false, true, []string{"map[a:]", "map[a:new!]", "map[a:ne]"}},
		{true, true, []string{"map[a:new!]"}},
	} {
		must.Do(t, os.RemoveAll(dir))
		must.Do(t, os.Mkdir(dir, 0o777))
		must.Do(t, os.WriteFile(filepath.Join(dir, "a"), []byte("old"), 0o666))
		f := must.Get(disk.Open(dir))(t)
		defer f.Close()
		losses := Losses(t, dir, func() {
			file := must.Get(os.Create(filepath.Join(dir, "b")))(t)
			defer file.Close()
			must.Get(file.WriteString("new!"))(t)
			if c.file {
				must.Do(t, disk.Flush(file))
			}
			must.Do(t, f.Rename("b", "a"))
			if c.folder {
				must.Do(t, f.Sync())
			}
		})
		var got []string
		for _, l := range losses {
			if l.Next == "" {
				got = append(got, fmt.Sprint(l.Files))
			}
		}
		slices.Sort(c.want)
		if slices.Sort(got); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
