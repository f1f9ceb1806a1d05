package main

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/camera"
	"github.com/blorc-denoise/blorc-denoise/internal/level"
	"github.com/blorc-denoise/blorc-denoise/internal/scene/scenetest"
)

func sceneOf(width, height int) *camera.Picture {
	p := scenetest.Draw(width, height)
	return (&camera.Picture{Width: width, Height: height, Planes: p[:]}).Quantise()
}

func psnr(a, b *camera.Picture) float64 { return 10 * math.Log10(255*255/meanSquare(a, b, 8)) }

// What imageio writes and reads again has to be what camera.JPEG says, but for rounding within the codec.
func TestJPEGRoundTripIsThatOfACodec(t *testing.T) {
	p := sceneOf(93, 70)
	for _, quality := range []int{60, 85, 98} {
		read := throughFile(t, p, quality, imageio.Subsampling420)
		want := &camera.Picture{Width: read.Width, Height: read.Height, Planes: read.Planes}
		got := camera.JPEG(p, quality, true)
		if d, lost := psnr(got, want), psnr(want, p); d < lost+10 {
			t.Errorf("quality %d: %.1f dB from the codec, which is %.1f dB from the picture", quality, d, lost)
		}
	}
}

// throughFile returns a picture after it was written to a JPEG file and read again.
func throughFile(t *testing.T, p *camera.Picture, quality int, sub imageio.Subsampling) *imageio.Image {
	t.Helper()
	var file bytes.Buffer
	img := &imageio.Image{Width: p.Width, Height: p.Height, Planes: p.Planes, Depth: imageio.Depth8}
	if err := imageio.Encode(&file, img, imageio.WriteOptions{Format: imageio.JPEG, Quality: quality,
		Subsampling: sub}); err != nil {
		t.Fatal(err)
	}
	read, err := imageio.Decode(file.Bytes(), imageio.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// Simulated files have the steps of files that were written at the same quality.
func TestStepsAreThoseOfACodec(t *testing.T) {
	p := sceneOf(40, 24)
	for _, c := range []struct {
		quality int
		half    bool
	}{{60, true}, {85, false}, {98, true}} {
		sub := imageio.Subsampling444
		if c.half {
			sub = imageio.Subsampling420
		}
		for _, planes := range []int{1, 3} {
			noisy := &camera.Picture{Width: p.Width, Height: p.Height, Planes: p.Planes[:planes]}
			read := throughFile(t, noisy, c.quality, sub)
			made := pair{noisy: noisy, clean: noisy, bits: 8}.compress(c.quality, c.half)
			if made.steps != level.Steps(read.Steps) {
				t.Errorf("quality %d, %d planes: %v, and %v in a file", c.quality, planes, made.steps, read.Steps)
			}
		}
	}
}

func TestDrawnPicturesHaveNoise(t *testing.T) {
	compressed := 0
	for i := range 40 {
		r := recipe{Number: i, Kind: "drawn", Gray: i%2 == 0}
		p, err := new(generator).make(r) // needs no files
		if err != nil {
			t.Fatal(err)
		}
		if planes := len(p.clean.Planes); planes != 3 && !r.Gray || planes != 1 && r.Gray {
			t.Errorf("%d: %d planes", i, planes)
		}
		if sigma := math.Sqrt(meanSquare(p.noisy, p.clean, p.bits)); sigma < 0.3 || sigma > 60 {
			t.Errorf("%d: noise of %.1f", i, sigma)
		}
		if p.steps.Known() {
			compressed++
		}
		if max(p.clean.Width, p.clean.Height) > pictureSide || min(p.clean.Width, p.clean.Height) < minDrawn {
			t.Errorf("%d: %d x %d", i, p.clean.Width, p.clean.Height)
		}
	}
	if compressed < 16 || compressed > 30 { // two of four kinds, and a third of another
		t.Errorf("%d of 40 are JPEG files", compressed)
	}
}

// A gray picture of a camera is the mean of the channels, or one of them; both pictures of a pair are the same one.
func TestGrayIsTheMeanOrAChannel(t *testing.T) {
	p := sceneOf(40, 24)
	seen := map[string]int{}
	for i := range 40 {
		g := pair{noisy: p, clean: p}.gray(rand.New(rand.NewPCG(uint64(i), 1)))
		if len(g.noisy.Planes) != 1 || !slices.Equal(g.noisy.Planes[0], g.clean.Planes[0]) {
			t.Fatalf("%d planes, or the pictures differ", len(g.noisy.Planes))
		}
		at := slices.IndexFunc(p.Planes, func(c []float32) bool { return slices.Equal(c, g.noisy.Planes[0]) })
		seen[[]string{"mean", "red", "green", "blue"}[at+1]]++
	}
	if len(seen) != 4 || seen["mean"] < 10 || seen["mean"] > 30 {
		t.Errorf("of 40: %v", seen)
	}
}

// Cameras that take the noise out of colours leave it in brightness.
func TestReduceColourKeepsTheNoiseOfBrightness(t *testing.T) {
	p := camera.NewPicture(128, 128, 3)
	p.Each(func(float64) float64 { return 0.5 })
	for seed := range uint64(8) {
		rng := rand.New(rand.NewPCG(seed, 1))
		c := camera.Draw(rng)
		reduceColour(&c, rng)
		noisy, clean := c.Develop(p, rng)
		var luma, colour float64
		for i := range noisy.Planes[0] {
			var d [3]float64
			for k := range d {
				d[k] = float64(noisy.Planes[k][i] - clean.Planes[k][i])
			}
			luma += (d[0] + d[1] + d[2]) * (d[0] + d[1] + d[2]) / 3
			colour += (d[0] - d[2]) * (d[0] - d[2]) / 2
		}
		if luma <= colour {
			t.Errorf("seed %d: variance %g in brightness and %g in a colour", seed, luma, colour)
		}
	}
}
