package patchify_test

import (
	"context"
	"fmt"

	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// Patches are cut out of a plane, changed one by one, and put back together. Where they overlap, the result is their
// mean.
func Example() {
	p := patchify.NewPlane(16, 16)
	for i := range p.Pix {
		p.Pix[i] = float32(i % 2)
	}
	const size, stride = 8, 4
	g, err := patchify.NewGrid(p.Width, p.Height, size, stride)
	if err != nil {
		fmt.Println(err)
		return
	}
	out := patchify.NewPlane(p.Width, p.Height)
	err = patchify.Average(context.Background(), out, g, 1,
		func(_ int, band patchify.Band, acc *patchify.Accumulator) {
			patch := make([]float32, size*size)
			for i := range band.Grid.Len() {
				x, y := band.Grid.At(i)
				patchify.ExtractLane(patch, 1, 0, p, x, y, size)
				mean := float32(0)
				for _, v := range patch {
					mean += v / size / size
				}
				for j := range patch {
					patch[j] = mean
				}
				acc.AddLane(patch, 1, 0, x, y)
			}
		})
	fmt.Println(g.Len(), "patches;", p.Row(0)[:4], "becomes", out.Row(0)[:4], err)
	// Output: 9 patches; [0 1 0 1] becomes [0.5 0.5 0.5 0.5] <nil>
}

// Groups of similar patches are found in the window around each patch.
func ExampleMatching_Find() {
	p := patchify.NewPlane(32, 8)
	for i := range p.Pix {
		p.Pix[i] = float32(i % p.Width % 4) // repeats after four columns
	}
	g, err := patchify.NewGrid(p.Width, p.Height, 8, 8)
	if err != nil {
		fmt.Println(err)
		return
	}
	var groups patchify.Groups
	m := patchify.Matching{PatchSize: 8, Count: 3, Window: 5}
	if err := m.Find(context.Background(), &groups, p, g, 1); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(groups.Of(1))
	// Output: [8 4 12]
}

// A second search starts from the groups of the first.
func ExampleMatching_FindAgain() {
	p := patchify.NewPlane(64, 8)
	for i := range p.Pix {
		p.Pix[i] = float32(i % p.Width % 16) // repeats after sixteen columns
	}
	g, err := patchify.NewGrid(p.Width, p.Height, 8, 8)
	if err != nil {
		fmt.Println(err)
		return
	}
	var first, second patchify.Groups
	m := patchify.Matching{PatchSize: 8, Count: 3, Window: 32}
	if err := m.Find(context.Background(), &first, p, g, 1); err != nil {
		fmt.Println(err)
		return
	}
	if err := m.FindAgain(context.Background(), &second, &first, p, g, 1); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(first.Of(3), second.Of(3))
	// Output: [24 8 40] [24 8 40]
}
