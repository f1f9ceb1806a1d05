package denoise

import (
	goimage "image"
	"math"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// Parts that a damaged file lacks stay black. They do not change what is found, nor the samples beside them much. A
// crop and a part know them too.
func TestHolesOfDamagedFiles(t *testing.T) {
	const w, h = 140, 120
	hole := goimage.Rect(40, 50, 140, 56)
	img := sky(1, w, h)
	whole := copyOf(img)
	for y := hole.Min.Y; y < hole.Max.Y; y++ {
		clear(img.Planes[0][y*w+hole.Min.X : y*w+hole.Max.X])
	}
	img.Holes = []goimage.Rectangle{hole}
	o := FileOptions{Options: Options{Quality: Fast}}
	want := mustDecoded(t, whole, o)
	got := copyOf(img)
	r, err := Decoded(t.Context(), got, o)
	if err != nil || r.Noise != want.Noise || math.Abs(r.Sigma-want.Sigma) > 0.1*want.Sigma {
		t.Fatalf("%v, not %v (%v)", r, want, err)
	}
	for i, v := range got.Planes[0] {
		at := goimage.Pt(i%w, i/w)
		if at.In(hole) && v != 0 || !at.In(hole) && math.Abs(float64(v-whole.Planes[0][i])) > 4./255 {
			t.Fatalf("%v is %g, and %g without the hole", at, v*255, whole.Planes[0][i]*255)
		}
	}
	crop := goimage.Rect(20, 40, 90, 80)
	cut := o
	cut.Crop = crop
	cropped, _ := cleanedImage(t, img, cut)
	a := mustAnalyse(t, img, o)
	part := mustPart(t, a, img, crop, o.Options)
	samePlanes(t, "crop", cropped.Planes, cutAll(got.Planes, w, crop))
	samePlanes(t, "part", part.Planes, cropped.Planes)
	if left := goimage.Rect(20, 10, 70, 16); len(cropped.Holes) != 1 || cropped.Holes[0] != left {
		t.Errorf("the holes of the crop are %v, not %v", cropped.Holes, left)
	}
}

// Rows that a file lacks keep their samples, also where these have the value of missing samples.
func TestMissingRowsBesideNoData(t *testing.T) {
	const width, height, missing = 96, 80, 20
	p := noisy(blobs(width, height, 1), 0.05, "rows")
	clear(p[(height-missing)*width:])
	img := &imageio.Image{Width: width, Height: height, Planes: [][]float32{p}, Depth: imageio.Depth8,
		NoData: []float64{0}, MissingBottom: missing}
	if _, err := Decoded(t.Context(), img, FileOptions{Options: Options{Quality: Fast}}); err != nil {
		t.Fatal(err)
	}
	for i, v := range img.Planes[0][(height-missing)*width:] {
		if v != 0 {
			t.Fatalf("missing sample %d has become %g", i, v)
		}
	}
}
