package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/metric"
)

// pairNames are what the names of clean and noisy images end in, before the extension.
type pairNames struct{ clean, noisy string }

// pairs matches the images of two folders, or of one, by name without extension and suffix. Without suffixes, two files
// are a pair whatever their names, and a file is looked for in a folder. Each other image without a counterpart gives
// an error.
func (n pairNames) pairs(clean, noisy string) (pairs []pair, errs []error) {
	cleanFiles, err := endingIn(clean, n.clean, n.noisy)
	if err != nil {
		return nil, []error{err}
	}
	if noisy == "" {
		for _, c := range cleanFiles {
			pairs = append(pairs, pair{c, ""})
		}
		return pairs, nil
	}
	noisyFiles, err := endingIn(noisy, n.noisy, n.clean)
	if err != nil {
		return nil, []error{err}
	}
	if cleanFiles[0] == clean && n == (pairNames{}) { // a file, not a folder
		switch {
		case noisyFiles[0] != noisy:
			noisyFiles = slices.DeleteFunc(noisyFiles, func(n string) bool { return stem(n) != stem(clean) })
		case samePath(clean, noisy):
			return nil, []error{itself(clean)}
		default:
			return []pair{{clean, noisy}}, nil
		}
	}
	return matchBy(cleanFiles, noisyFiles, func(path string) string { return strings.TrimSuffix(stem(path), n.clean) },
		func(path string) string { return strings.TrimSuffix(stem(path), n.noisy) })
}

// endingIn returns the images of a folder whose names end in a suffix, and if that is none, do not end in the other
// one. Without both, it returns all.
func endingIn(path, suffix, other string) ([]string, error) {
	files, err := images(path)
	if err != nil || suffix == other && suffix == "" {
		return files, err
	}
	files = slices.DeleteFunc(files, func(f string) bool {
		return !strings.HasSuffix(stem(f), suffix) || suffix == "" && strings.HasSuffix(stem(f), other)
	})
	if len(files) == 0 {
		return nil, fileError{path, fmt.Errorf("%w: no image has a name that ends in %q", errMismatch, suffix)}
	}
	return files, nil
}

// scorer returns the function that measures planes against a clean image.
func (f *evalFlags) scorer(clean *imageio.Image) func(planes [][]float32) score {
	of := func(clean, planes [][]float32, w, h int) score {
		return score{PSNR: metric.PSNRPlanes(clean, planes), SSIM: metric.SSIMPlanes(clean, planes, w, h)}
	}
	if !f.fit {
		return func(planes [][]float32) score { return of(clean.Planes, planes, clean.Width, clean.Height) }
	}
	peak := float32(0)
	for _, p := range clean.Planes {
		peak = max(peak, slices.Max(p))
	}
	if peak <= 0 {
		peak = 1
	}
	scaled := clonePlanes(clean.Planes)
	for _, p := range scaled {
		for i := range p {
			p[i] /= peak
		}
	}
	return func(planes [][]float32) score { return of(scaled, fitted(planes, scaled), clean.Width, clean.Height) }
}

// fitted returns planes times the factor plus the offset that bring them nearest to others.
func fitted(planes, to [][]float32) [][]float32 {
	var n, x, y, xx, xy float64
	for i, p := range planes {
		for j, v := range p {
			a, b := float64(v), float64(to[i][j])
			n, x, y, xx, xy = n+1, x+a, y+b, xx+a*a, xy+a*b
		}
	}
	factor := 0.0
	if d := n*xx - x*x; d > 0 {
		factor = (n*xy - x*y) / d
	}
	offset := (y - factor*x) / max(1, n)
	out := clonePlanes(planes)
	for _, p := range out {
		for j, v := range p {
			p[j] = float32(factor*float64(v) + offset)
		}
	}
	return out
}

// round makes of samples what a file of the depth has.
func round(planes [][]float32, depth imageio.Depth) {
	if depth == imageio.DepthFloat32 {
		return
	}
	full := float64(uint64(1)<<depth - 1)
	for _, p := range planes {
		for i, v := range p {
			p[i] = float32(math.Round(min(max(float64(v), 0), 1)*full) / full)
		}
	}
}
