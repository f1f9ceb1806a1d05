package patchify

import (
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestRecall compares groups with those of an exhaustive search, on parts of the PNG files in the folder BLORC_DATA
// with added noise. It does so with the noisy image and with a smoothed one, which stands for a pilot.
func TestRecall(t *testing.T) {
	folder := os.Getenv("BLORC_DATA")
	if folder == "" {
		t.Skip("BLORC_DATA names no folder of PNG files")
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.png"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no PNG files in %s: %v", folder, err)
	}
	m := Matching{PatchSize: 8, Count: 16, Window: 45}
	for _, smooth := range []bool{false, true} {
		var ratios, shares float64
		for i, file := range files {
			rng := rand.New(rand.NewPCG(7, uint64(i)))
			p := readNoisy(t, file, 10, rng)
			if smooth {
				p = boxed(p)
			}
			ratio, share := recall(t, p, m, rng)
			t.Logf("%s, smoothed %v: squared distances %.4f of the exhaustive ones, %.3f found", filepath.Base(file),
				smooth, ratio, share)
			ratios, shares = ratios+ratio, shares+share
		}
		n := float64(len(files))
		t.Logf("mean, smoothed %v: %.4f, %.3f found", smooth, ratios/n, shares/n)
	}
}

// recall compares the groups of some references, on parts of p that hold a block and its Reach. It returns the ratio of
// the squared distances and the share of the exhaustive groups that was found.
func recall(t *testing.T, p Plane, m Matching, rng *rand.Rand) (ratio, share float64) {
	const stride, parts = 3, 2
	side := Alignment(stride) + 2*m.Reach()
	var have, best float64
	found, count := 0, 0
	for range parts {
		part := Crop(p, rng.IntN(p.Width-side), rng.IntN(p.Height-side), side, side)
		groups, g := match(t, part, m, stride)
		for i := range g.Len() {
			x, y := g.At(i)
			if x < m.Reach() || y < m.Reach() || x+m.Reach() > side || y+m.Reach() > side || rng.IntN(16) > 0 {
				continue
			}
			group, all := groups[i*m.Count:][:m.Count], exhaustive(part, m, x, y)
			for k := 1; k < m.Count; k++ {
				have += float64(patchDistance(part, x, y, int(group[k])%side, int(group[k])/side, m.PatchSize))
				best += float64(patchDistance(part, x, y, int(all[k])%side, int(all[k])/side, m.PatchSize))
				count++
				if slices.Contains(all, group[k]) {
					found++
				}
			}
		}
	}
	return have / best, float64(found) / float64(count)
}

func readNoisy(t *testing.T, file string, sigma float64, rng *rand.Rand) Plane {
	t.Helper()
	f, err := os.Open(file)
	must(t, err)
	defer f.Close()
	img, err := png.Decode(f)
	must(t, err)
	p := NewPlane(img.Bounds().Dx(), img.Bounds().Dy())
	for i := range p.Pix {
		r, g, b, _ := img.At(img.Bounds().Min.X+i%p.Width, img.Bounds().Min.Y+i/p.Width).RGBA()
		p.Pix[i] = float32((0.299*float64(r)+0.587*float64(g)+0.114*float64(b))/257 + sigma*rng.NormFloat64())
	}
	return p
}

// boxed returns the means of 3 x 3 samples. Samples at the edges are unchanged.
func boxed(p Plane) Plane {
	out := Crop(p, 0, 0, p.Width, p.Height)
	out.Pix = slices.Clone(p.Pix)
	for y := 1; y < p.Height-1; y++ {
		for x := 1; x < p.Width-1; x++ {
			var s float32
			for v := y - 1; v <= y+1; v++ {
				s += p.Row(v)[x-1] + p.Row(v)[x] + p.Row(v)[x+1]
			}
			out.Row(y)[x] = s / 9
		}
	}
	return out
}
