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
func (j job) printCameras(out io.Writer, g *generator, samples []sample, curves map[string]curve) error {
	files := find(j.data, "polyu/*_real.JPG")
	inputs := slices.Max(lengths(samples)) // of colour pictures
	samples = slices.DeleteFunc(samples, func(s sample) bool { return len(s.inputs[0]) < inputs })
	var all, allKnown gainRow
	printHead(out)
	for len(files) > 0 {
		camera := cameraOf(files[0])
		n := slices.IndexFunc(files, func(f string) bool { return cameraOf(f) != camera })
		if n < 0 {
			n = len(files)
		}
		others := slices.DeleteFunc(slices.Clone(samples), func(s sample) bool {
			return cameraOf(s.recipe.File) == camera || cameraOf(s.source) == camera
		})
		networks := []*level.Network{j.plan.fit(others)}
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
