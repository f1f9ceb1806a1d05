package paper

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/scene"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// namedImage is a gray image with samples from 0 to 1.
type namedImage struct {
	name  string
	plane patchify.Plane
}

// readGray reads the image files of a folder in the order of their names. Colour images become BT.601 luma, rounded to
// 8 bits.
func readGray(folder string) ([]namedImage, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var out []namedImage
	for _, e := range entries {
		if _, ok := imageio.OutputFormatOf(e.Name()); !ok || e.IsDir() {
			continue
		}
		img, err := imageio.Read(filepath.Join(folder, e.Name()), imageio.ReadOptions{})
		if err != nil {
			return nil, err
		}
		out = append(out, namedImage{e.Name(), Gray(img)})
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: no images in the folder", folder)
	}
	return out, nil
}

// Gray returns an image as one plane, the luma rounded to 8 bits if it is in colour.
func Gray(img *imageio.Image) patchify.Plane {
	p := patchify.Plane{Width: img.Width, Height: img.Height, Pix: img.Planes[0]}
	if len(img.Planes) == 3 {
		p.Pix = luma([3][]float32(img.Planes))
		for i, v := range p.Pix {
			p.Pix[i] = float32(int(v*255+0.5)) / 255
		}
	}
	return p
}

// luma returns the BT.601 luma of red, green and blue planes.
func luma(planes [3][]float32) []float32 {
	out := make([]float32, len(planes[0]))
	for i := range out {
		r, g, b := float64(planes[0][i]), float64(planes[1][i]), float64(planes[2][i])
		out[i] = float32(0.299*r + 0.587*g + 0.114*b)
	}
	return out
}

// centre returns the central side x side pixels of an image, or fewer where the image is smaller.
func centre(p patchify.Plane, side int) patchify.Plane {
	w, h := min(side, p.Width), min(side, p.Height)
	return patchify.Crop(p, (p.Width-w)/2, (p.Height-h)/2, w, h)
}

// imageSet holds the images of the experiment on buildings.
type imageSet struct {
	training []namedImage
	held     []namedImage // not used for training or tests: they show whether training has converged
	test     []namedImage
}

// drawnImages cuts the drawn scene into parts. No part for training overlaps one for tests.
func drawnImages(tests int) (s imageSet) {
	const width, height = 640, 480
	all := patchify.Plane{Width: width, Height: height, Pix: luma(scene.Draw(width, height))}
	for i := range 3 {
		s.training = append(s.training, namedImage{fmt.Sprintf("scene, left %d", i+1),
			patchify.Crop(all, 0, 160*i, 200, 160)})
	}
	s.held = []namedImage{{"scene, below", patchify.Crop(all, 210, 450, 420, 30)}}
	for i := range tests {
		s.test = append(s.test, namedImage{fmt.Sprintf("scene, right %d", i+1),
			patchify.Crop(all, 210+i%3*140, i/3%3*160, 128, 128)})
	}
	return s
}

// trainingImages are images of Urban-100 with vertical, horizontal and diagonal structure. The paper does not name the
// images that it used.
var trainingImages = []string{"024", "044", "006"}

// heldImages is how many images of the training folder are held out of training, to show its progress on other images.
const heldImages = 10

// urbanImages reads three images for training, some to hold out, and up to tests images for tests from Urban-100.
func urbanImages(data string, tests int) (s imageSet, err error) {
	all, err := readGray(filepath.Join(data, "urban100", "train"))
	if err != nil {
		return s, err
	}
	for _, number := range trainingImages {
		at := slices.IndexFunc(all, func(img namedImage) bool { return strings.Contains(img.name, number) })
		if at < 0 {
			return s, fmt.Errorf("%s: not all of the images %v are there", data, trainingImages)
		}
		s.training = append(s.training, all[at])
		all = slices.Delete(all, at, at+1)
	}
	if s.held = all[:min(heldImages, len(all))]; len(s.held) == 0 {
		return s, fmt.Errorf("%s: there must be more images than %v", data, trainingImages)
	}
	s.test, err = readGray(filepath.Join(data, "urban100", "val"))
	s.test = s.test[:min(tests, len(s.test))]
	return s, err
}
