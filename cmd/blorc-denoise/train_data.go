package main

import (
	"fmt"
	"math"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/patchify"
	"github.com/blorc-denoise/blorc-denoise/train"
)

// trainingImages are what a recipe makes of the images of each --clean folder, and of those of --val.
type trainingImages[T any] struct {
	groups [][]T
	held   []T
}

// readTraining reads all images. What does not fit is all reported.
func readTraining[T any](u *ui, f *trainFlags, p pairFlags, gray bool,
	of func(p pair, clean, noisy *imageio.Image) (T, error)) (t trainingImages[T], err error) {
	var errs []error
	read := func(clean, noisy string) (group []T) {
		pairs, e := pairsOf(clean, noisy)
		errs = append(errs, e...)
		for _, p := range pairs {
			c, n, err := readPair(p, gray, f.read.ReadOptions)
			var made T
			if err == nil {
				made, err = of(p, c, n)
			}
			if err != nil {
				errs = append(errs, err)
				continue
			}
			group = append(group, made)
		}
		return group
	}
	for i, clean := range f.clean {
		noisy := ""
		if len(p.noisy) > 0 {
			noisy = p.noisy[i]
		}
		t.groups = append(t.groups, read(clean, noisy))
	}
	if f.validation != "" {
		t.held = read(f.validation, p.valNoisy)
	}
	return t, failAll(u, errs)
}

// images returns the number of images of the i-th --clean.
func (t trainingImages[T]) images(i int) int { return len(t.groups[i]) }

// data reads all images as planes.
func (w *whiteFlags) data(u *ui, f *trainFlags) (train.Data, error) {
	d := train.Data{Seed: f.seed, Workers: f.workers, Sigma: w.sigma / 255}
	images, err := readTraining(u, f, w.pairFlags, true, planePair)
	if err != nil {
		return d, err
	}
	d.Groups = images.groups
	for _, p := range images.held {
		d.Validation = append(d.Validation, train.Pair{Clean: central(p.Clean, w.valCrop),
			Noisy: central(p.Noisy, w.valCrop)})
	}
	if len(w.noisy) == 0 {
		return d, nil
	}
	found := rootMeanSquareDifference(d.Groups)
	if found == 0 {
		return d, errEqualImages
	}
	if d.Sigma == 0 {
		d.Sigma = found
	}
	return d, nil
}

var errEqualImages = fmt.Errorf("%w: the noisy images are equal to the clean ones", errMismatch)

func planePair(p pair, clean, noisy *imageio.Image) (train.Pair, error) {
	if clean.Width < train.PatchSize || clean.Height < train.PatchSize {
		return train.Pair{}, fileError{p.clean, fmt.Errorf("%w: %d x %d pixels are less than a patch of side %d",
			errMismatch, clean.Width, clean.Height, train.PatchSize)}
	}
	return train.Pair{Clean: plane(clean), Noisy: plane(noisy)}, nil
}

func plane(img *imageio.Image) patchify.Plane {
	if img == nil {
		return patchify.Plane{}
	}
	return patchify.Plane{Width: img.Width, Height: img.Height, Pix: img.Planes[0]}
}

// central returns the central square of a plane; side 0 or an empty plane returns it whole.
func central(p patchify.Plane, side int) patchify.Plane {
	if side == 0 || p.Pix == nil {
		return p
	}
	w, h := min(side, p.Width), min(side, p.Height)
	return patchify.Crop(p, (p.Width-w)/2, (p.Height-h)/2, w, h)
}

func rootMeanSquareDifference(groups [][]train.Pair) float64 {
	sum, n := 0.0, 0
	for _, g := range groups {
		for _, p := range g {
			for i, v := range p.Clean.Pix {
				e := float64(p.Noisy.Pix[i] - v)
				sum += e * e
			}
			n += len(p.Clean.Pix)
		}
	}
	return math.Sqrt(sum / float64(n))
}
