package main

import (
	"io"
	"path"
	"slices"
	"strings"

	"github.com/blorc-denoise/blorc-denoise/internal/level"
)

// cameraOf is the camera that a file of polyu is from. Other files have other names.
func cameraOf(file string) string {
	name, _, _ := strings.Cut(path.Base(file), "_")
	return name
}

// printCameras prints what the pairs of each camera gain with a network that knows neither its pictures nor its noise.
func (j job) printCameras(out io.Writer, g *generator, first, second []sample, curves map[string]curve) error {
	files := find(j.data, "polyu/*_real.JPG")
	sets := [][]sample{first, second}
	if len(second) == 0 {
		sets = sets[:1]
	}
	var all, allKnown gainRow
	printHead(out)
	for len(files) > 0 {
		camera := cameraOf(files[0])
		n := slices.IndexFunc(files, func(f string) bool { return cameraOf(f) != camera })
		if n < 0 {
			n = len(files)
		}
		var networks []*level.Network
		for _, set := range sets {
			inputs := slices.Max(lengths(set)) // of colour pictures
			networks = append(networks, j.plan.fit(slices.DeleteFunc(slices.Clone(set), func(s sample) bool {
				return len(s.inputs[0]) < inputs || cameraOf(s.recipe.File) == camera || cameraOf(s.source) == camera
			})))
		}
		one, known, err := setGains(g, realSet(files[:n]), curves, networks, nil)
		if err != nil {
			return err
		}
		one.print(out, camera)
		known.print(out, camera+", steps")
		all.append(one)
		allKnown.append(known)
		files = files[n:]
	}
	all.print(out, "all")
	allKnown.print(out, "all, steps")
	return nil
}
