package main

import (
	"fmt"
	"math"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/patchify"
	"github.com/blorc-denoise/blorc-denoise/train"
)

// data reads all images. Images that do not fit are all reported.
func (f *trainFlags) data(u *ui) (train.Data, error) {
	d := train.Data{Seed: f.seed, Workers: f.workers, Sigma: f.sigma / 255}
	var errs []error
	for i, clean := range f.clean {
		noisy := ""
		if len(f.noisy) > 0 {
			noisy = f.noisy[i]
		}
		group, err := f.group(clean, noisy)
		errs = append(errs, err...)
		d.Groups = append(d.Groups, group)
	}
	if f.validation != "" {
		group, err := f.group(f.validation, f.valNoisy)
		errs = append(errs, err...)
		for _, p := range group {
			d.Validation = append(d.Validation, train.Pair{Clean: central(p.Clean, f.valCrop),
				Noisy: central(p.Noisy, f.valCrop)})
		}
	}
	if len(errs) > 0 {
		return d, failAll(u, errs)
	}
	if len(f.noisy) == 0 {
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

func (f *trainFlags) group(clean, noisy string) (group []train.Pair, errs []error) {
	pairs, errs := pairsOf(clean, noisy)
	for _, p := range pairs {
		c, n, err := readPair(p, true, f.read.ReadOptions)
		if err == nil && (c.Width < train.PatchSize || c.Height < train.PatchSize) {
			err = fileError{p.clean, fmt.Errorf("%w: %d x %d pixels are less than a patch of side %d", errMismatch,
				c.Width, c.Height, train.PatchSize)}
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		group = append(group, train.Pair{Clean: plane(c), Noisy: plane(n)})
	}
	return group, errs
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
