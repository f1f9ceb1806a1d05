package denoise

import (
	"bytes"
	"context"
	"fmt"
	goimage "image"
	"slices"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// checkered returns a gray image of two levels.
func checkered(d imageio.Depth, low, high float32) *imageio.Image {
	img := &imageio.Image{Width: 40, Height: 30, Planes: [][]float32{make([]float32, 40*30)}, Depth: d,
		Format: imageio.TIFF}
	for i := range img.Planes[0] {
		if img.Planes[0][i] = low; i*i/7%3 == 0 {
			img.Planes[0][i] = high
		}
	}
	return img
}

// Pages of two levels go through as they are, also beside others and if a level of noise is given; 1 bit stays 1 bit.
func TestTwoLevelPages(t *testing.T) {
	_, noisy := noisyScene(40, 30, 20)
	gray := &imageio.Image{Width: 40, Height: 30, Planes: noisy[:1], Depth: imageio.Depth8, Format: imageio.TIFF}
	list := []*imageio.Image{checkered(1, 0, 1), gray, checkered(imageio.Depth8, 0.2, 0.8),
		checkered(imageio.Depth16, 0.5, 0.5)}
	file := tiffOf(t, list...)
	o := options(t)
	o.Noise, o.Sigma = Gaussian, 20
	out, r := streamed(t, file, FileOptions{Options: o})
	if r.Noise != Gaussian || r.Model == "" {
		t.Fatalf("%+v", r)
	}
	before, after := pagesOf(t, file), pagesOf(t, out)
	for i := range list {
		a, b := before[i], after[i]
		if a.Depth != b.Depth || slices.Equal(a.Planes[0], b.Planes[0]) == (i == 1) {
			t.Errorf("page %d: %v, was %v", i, b.Depth, a.Depth)
		}
	}
}

// Extra planes are denoised each by itself, masks among them are not; samples of few bits get 8; colours stay below
// alpha.
func TestDecodedKinds(t *testing.T) {
	o := options(t)
	o.Noise, o.Sigma = Gaussian, 20
	_, noisy := noisyScene(40, 30, 20)
	mask := checkered(imageio.Depth8, 0, 1).Planes[0]
	img := &imageio.Image{Width: 40, Height: 30, Planes: noisy[:1], Extra: [][]float32{noisy[1], slices.Clone(mask)},
		Depth: 4, Format: imageio.TIFF}
	before := [][]float32{slices.Clone(noisy[0]), slices.Clone(noisy[1])}
	mustDecoded(t, img, FileOptions{Options: o})
	if slices.Equal(img.Planes[0], before[0]) || slices.Equal(img.Extra[0], before[1]) ||
		!slices.Equal(img.Extra[1], mask) || img.Depth != imageio.Depth8 {
		t.Errorf("depth %v, or planes that should or should not change", img.Depth)
	}
	_, noisy = noisyScene(40, 30, 20)
	img = &imageio.Image{Width: 40, Height: 30, Planes: noisy[:], Alpha: mask, Premultiplied: true,
		Depth: imageio.Depth8, Format: imageio.TIFF}
	for _, p := range img.Planes {
		for i, a := range mask {
			p[i] = min(max(p[i], 0), a)
		}
	}
	mustDecoded(t, img, FileOptions{Options: o})
	if !belowAlpha(img) {
		t.Error("colours above alpha")
	}
}

// Without strength, 4 bits stay 4 bits.
func TestNoStrengthKeepsDepth(t *testing.T) {
	_, noisy := noisyScene(40, 30, 20)
	img := &imageio.Image{Width: 40, Height: 30, Planes: noisy[:1], Depth: 4, Format: imageio.TIFF}
	var in, out bytes.Buffer
	must.Do(t, imageio.Encode(&in, img, imageio.WriteOptions{}))
	o := options(t)
	o.Keep = 1
	if _, err := Stream(context.Background(), &out, bytes.NewBuffer(in.Bytes()), FileOptions{Options: o}); err != nil ||
		!bytes.Equal(in.Bytes(), out.Bytes()) {
		t.Errorf("other bytes, %v", err)
	}
}

// What a damaged file lacks stays as it is, at whatever edge it lies, and does not count when the noise is measured.
func TestMissingPart(t *testing.T) {
	const w, h, n = 64, 60, 20
	_, noisy := noisyScene(w, h, 20)
	for _, part := range []*imageio.Image{{MissingBottom: n}, {MissingTop: n}, {MissingLeft: n}, {MissingRight: n}} {
		there := goimage.Rect(part.MissingLeft, part.MissingTop, w-part.MissingRight, h-part.MissingBottom)
		whole := &imageio.Image{Width: there.Dx(), Height: there.Dy(), Depth: imageio.Depth8, Format: imageio.PNG}
		part.Width, part.Height, part.Depth, part.Format = w, h, imageio.Depth8, imageio.PNG
		for _, p := range noisy {
			q := slices.Clone(p)
			for i := range q {
				if !goimage.Pt(i%w, i/w).In(there) {
					q[i] = 0.5
				}
			}
			part.Planes, whole.Planes = append(part.Planes, q), append(whole.Planes, cutOut(p, w, there))
		}
		cropped, area := *part, goimage.Rect(10, 10, 54, 50) // some of it is missing
		cropped.Planes = clone(part.Planes)
		ctx, o := context.Background(), FileOptions{Options: options(t)}
		found := must.Get(measured(ctx, part, o))(t)
		want := must.Get(Decoded(ctx, whole, o))(t)
		got, err := Decoded(ctx, part, o)
		if err != nil || got.Sigma != want.Sigma || found.Sigma != want.Sigma {
			t.Errorf("%v: denoised %+v, measured %+v, want %+v, %v", there, got, found, want, err)
		}
		for c, p := range part.Planes {
			if !slices.Equal(cutOut(p, w, there), whole.Planes[c]) {
				t.Errorf("%v, plane %d: other samples", there, c)
			}
			for i, v := range p {
				if v != 0.5 && !goimage.Pt(i%w, i/w).In(there) {
					t.Fatalf("%v, plane %d: sample %d is %g", there, c, i, v)
				}
			}
		}
		o.Crop = area
		must.Get(Decoded(ctx, &cropped, o))(t)
		samePlanes(t, fmt.Sprintf("%v, crop", there), cropped.Planes, cutAll(part.Planes, w, area))
	}
}
