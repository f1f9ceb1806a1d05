package batch

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/disk"
)

// Unconverted returns the item with an output of the format of its input. There is none if the name of the output was
// given.
func (n Naming) Unconverted(it Item) (Item, bool) {
	if n.File != "" || n.InPlace {
		return it, false
	}
	path := it.Path
	if n.Folder != "" {
		path = filepath.Join(n.Folder, it.Rel)
	}
	ext := filepath.Ext(path)
	it.Out = strings.TrimSuffix(path, ext) + n.Suffix + ext
	return it, true
}

// Copy makes an output that has the bytes of its input.
func (o Output) Copy(it Item) (Made, error) {
	return o.Make(it, imageio.WriteOptions{}, func(t Task) error {
		in, err := openIn(t)
		if err != nil {
			return err
		}
		defer in.Close()
		return t.write(func(w io.Writer) error {
			_, err := io.Copy(w, in)
			return err
		})
	})
}

// write makes the output out of what put writes.
func (t Task) write(put func(io.Writer) error) error {
	o := disk.WriteOptions{Overwrite: t.Options.Overwrite, ModTime: t.Options.ModTime,
		BeforeRename: t.Options.BeforeRename}
	if t.Options.Root == nil {
		return disk.Write(t.Out, o, put)
	}
	return disk.FromRoot(t.Options.Root).Write(t.Out, o, put)
}

// openIn opens the input of a task, which must be a regular file.
func openIn(t Task) (*os.File, error) {
	if t.InRoot != nil {
		return disk.FromRoot(t.InRoot).Open(t.In)
	}
	info, err := os.Stat(t.In)
	if err == nil && !info.Mode().IsRegular() {
		err = disk.ErrNotRegular
	}
	if err != nil {
		return nil, err
	}
	return os.Open(t.In)
}
