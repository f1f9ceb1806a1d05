//go:build linux

package faults

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/disk"
	"github.com/blorc-denoise/blorc-denoise/internal/noise"
	"github.com/blorc-denoise/blorc-denoise/internal/scene/scenetest"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/model"
)

// picture makes a noisy gray drawing at a path in the row's folder. The same name gives the same picture.
func (c *cases) picture(name string, width, height int) {
	c.Helper()
	c.noisy(name, width, height, [][]float32{scenetest.Gray(scenetest.Draw(width, height))})
}

// noisy adds noise to planes and writes them as an image of 8 bits.
func (c *cases) noisy(name string, width, height int, planes [][]float32) {
	c.Helper()
	source := noise.Source(1, name)
	for _, p := range planes {
		noise.AddGaussian(p, p, 20.0/255, source)
	}
	img := &imageio.Image{Width: width, Height: height, Planes: planes, Depth: imageio.Depth8, Format: imageio.PNG}
	must(c, os.MkdirAll(filepath.Dir(c.path(name)), 0o755))
	must(c, imageio.Write(c.path(name), img, imageio.WriteOptions{Overwrite: true}))
}

// pictures makes many.
func (c *cases) pictures(folder string, n, side int) {
	for i := range n {
		c.picture(fmt.Sprintf("%s/%d/%03d.png", folder, i%7, i), side, side)
	}
}

// model makes a model that is ready at once, and returns the flags that use it.
func (c *cases) model() []string {
	c.Helper()
	local, err := stage.NewLocal(8, solve.DefaultSchedule(), []solve.Transform{solve.DCTBasis(8).Scale(1.5)}, nil)
	must(c, err)
	m := &model.Model{Info: model.Info{Name: "dct", Sigma: 25, Plane: "gray"}, Stages: stage.Sequence{local}}
	data, err := m.Marshal()
	must(c, err)
	must(c, os.WriteFile(c.path("dct.safetensors"), data, 0o644))
	return []string{"--model", c.path("dct.safetensors"), "--sigma", "20"}
}

// files reads all files below a folder, by relative path.
func (c *cases) files(folder string) map[string][]byte {
	c.Helper()
	all := map[string][]byte{}
	root := c.path(folder)
	err := filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
		if os.IsNotExist(err) {
			return nil
		}
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if os.IsNotExist(err) { // taken away since
			return nil
		}
		rel, _ := filepath.Rel(root, path)
		all[rel] = data
		return err
	})
	must(c, err)
	return all
}

// within checks that a folder holds files of a reference only, and whole ones; temporary files count apart.
func within(got, want map[string][]byte) (temps int, err error) {
	for name, data := range got {
		switch reference, ok := want[name]; {
		case disk.IsTemp(name):
			temps++
		case !ok:
			err = fmt.Errorf("%q should not be there", name)
		case !bytes.Equal(data, reference):
			err = fmt.Errorf("%q has %d bytes that are not those of an undisturbed run (%d)", name, len(data),
				len(reference))
		}
	}
	return temps, err
}

// same checks that a folder is as the reference, without temporary files.
func same(got, want map[string][]byte) error {
	temps, err := within(got, want)
	switch {
	case err != nil:
		return err
	case temps > 0:
		return fmt.Errorf("%d temporary files are left", temps)
	case len(got) != len(want):
		return fmt.Errorf("%d of %d files", len(got), len(want))
	}
	return nil
}
