package denoise

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/mosaic/dngtest"
	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// rawScene returns a drawn DNG file of a smooth scene, and its clean samples.
func rawScene(change func(f *dngtest.File)) (f *dngtest.File, clean []float64) {
	f = &dngtest.File{Width: 130, Height: 101, Black: []uint32{512}}
	if change != nil {
		change(f)
	}
	clean = f.Scene(1, 4e-4, 1e-6)
	return f, clean
}

// denoisedRaw returns the samples of a file after Stream.
func denoisedRaw(t *testing.T, f *dngtest.File, o FileOptions) ([]float64, Result) {
	t.Helper()
	var out bytes.Buffer
	r := must.Get(Stream(context.Background(), &out, bytes.NewReader(f.Bytes()), o))(t)
	img := must.Get(imageio.Decode(out.Bytes(), imageio.ReadOptions{}))(t)
	var samples []float64
	for _, v := range img.Planes[0] {
		samples = append(samples, math.Round(float64(v)*65535))
	}
	return samples, r
}

// squareError returns the mean square of the difference from clean samples.
func squareError[T uint16 | float64](samples []T, clean []float64) (sum float64) {
	for i, v := range samples {
		d := float64(v) - clean[i]
		sum += d * d / float64(len(clean))
	}
	return sum
}

func TestRawIsDenoised(t *testing.T) {
	for name, change := range map[string]func(f *dngtest.File){
		"usual":   nil,
		"pattern": func(f *dngtest.File) { f.Colours = [4]byte{1, 0, 2, 1} },
		"active":  func(f *dngtest.File) { f.Active = []uint32{3, 5, 101, 130} },
		"gray":    func(f *dngtest.File) { f.Raw = map[uint16]*dngtest.Tag{262: f.Shorts(34892)} },
	} {
		for q := range Best {
			f, clean := rawScene(change)
			out, r := denoisedRaw(t, f, FileOptions{Options: Options{Quality: q}})
			if before, after := squareError(f.Samples, clean), squareError(out, clean); after > before/3 {
				t.Errorf("%s, %v: mean square error %.0f to %.0f", name, q, before, after)
			}
			if r.Model == "" || r.Noise != Poisson || r.Format != imageio.DNG {
				t.Errorf("%s: %+v", name, r)
			}
			if f.Active == nil {
				continue
			}
			for i, v := range f.Samples {
				if x, y := i%f.Width, i/f.Width; (x < 5 || y < 3) && out[i] != float64(v) {
					t.Fatal("the masked border has changed")
				}
			}
		}
	}
}

func TestClippedRawStays(t *testing.T) {
	f, _ := rawScene(nil)
	for y := 20; y < 60; y++ {
		for x := 30; x < 80; x++ {
			f.Samples[y*f.Width+x] = 16383
		}
	}
	out, _ := denoisedRaw(t, f, FileOptions{Options: Options{Quality: Fast}})
	for i, v := range f.Samples {
		if (v == 16383) != (out[i] >= 16383) || v == 16383 && out[i] != 16383 {
			t.Fatalf("%d became %v", v, out[i])
		}
	}
}

func TestBlackFrameStaysBlack(t *testing.T) {
	f, _ := rawScene(nil)
	sum := 0.0
	random := rand.New(rand.NewPCG(1, 1))
	for i := range f.Samples { // read noise alone
		f.Samples[i] = uint16(math.Round(512 + 15.9*random.NormFloat64()))
		sum += float64(f.Samples[i])
	}
	mean := sum / float64(len(f.Samples))
	out, _ := denoisedRaw(t, f, FileOptions{Options: Options{Quality: Fast}})
	after, below := 0.0, 0
	for _, v := range out {
		if after += v / float64(len(out)); v < 512 {
			below++
		}
	}
	if math.Abs(after-mean) > 0.3 {
		t.Errorf("mean %.2f became %.2f", mean, after)
	}
	if below == 0 {
		t.Error("black is clipped")
	}
}

func TestHotPixelsOfRaw(t *testing.T) {
	f, clean := rawScene(nil)
	hot := []int{20*130 + 30, 41*130 + 77, 80*130 + 12}
	for _, at := range hot[:2] {
		f.Samples[at] = 12000
	}
	f.Samples[hot[2]] = 16383
	star := 60*130 + 100
	for _, at := range []int{star, star + 1, star + 130, star + 131} {
		f.Samples[at] = 15000
	}
	out, r := denoisedRaw(t, f, FileOptions{Options: Options{Quality: Fast}})
	for _, at := range hot {
		if math.Abs(out[at]-clean[at]) > 600 {
			t.Errorf("a hot pixel became %.0f, and is %.0f", out[at], clean[at])
		}
	}
	if r.Hot != len(hot) || out[star] < 12000 {
		t.Errorf("%d hot pixels, a star of 15000 became %.0f", r.Hot, out[star])
	}
}

func TestStrengthOfRaw(t *testing.T) {
	f, _ := rawScene(nil)
	var out bytes.Buffer
	in := f.Bytes()
	o := FileOptions{Options: Options{Quality: Fast, Keep: 1}}
	must.Get(Stream(context.Background(), &out, bytes.NewReader(in), o))(t)
	if !bytes.Equal(out.Bytes(), in) {
		t.Error("a file of which all noise is kept has changed")
	}
	out.Reset()
	o.Keep = 0.5
	must.Get(Stream(context.Background(), &out, bytes.NewReader(in), o))(t)
	img := must.Get(imageio.Decode(out.Bytes(), imageio.ReadOptions{}))(t)
	if m := img.Mosaic; m.Reduced != 0.5 || m.Noise[0] != (imageio.MosaicNoise{Slope: 1e-4, Floor: 0.25e-6}) {
		t.Errorf("reduced %v, noise %v", m.Reduced, m.Noise)
	}
	for _, o := range []Options{{}, {Models: must.Get(ShippedModels("local"))(t)}} {
		again, in := bytes.Buffer{}, out.Bytes()
		r := must.Get(Stream(context.Background(), &again, bytes.NewReader(in), FileOptions{Options: o}))(t)
		said := strings.Join(r.Warnings, "\n")
		if !bytes.Equal(again.Bytes(), in) || !strings.HasPrefix(said, "already denoised") || len(r.Warnings) != 1 {
			t.Errorf("an output is denoised again: %v", r.Warnings)
		}
	}
}

// What KeepLuma keeps of the noise and what KeepChroma keeps add up to all of it.
func TestLumaAndChromaOfRaw(t *testing.T) {
	f, _ := rawScene(nil)
	with := func(o Options) []float64 {
		o.Quality = Fast
		out, _ := denoisedRaw(t, f, FileOptions{Options: o})
		return out
	}
	none, luma, chroma := with(Options{}), with(Options{KeepLuma: 1}), with(Options{KeepChroma: 1})
	change := 0.0
	for i, v := range f.Samples {
		if d := luma[i] + chroma[i] - none[i] - float64(v); math.Abs(d) > 2 {
			t.Fatalf("sample %d: %v and %v of %v and %d", i, luma[i], chroma[i], none[i], v)
		}
		change += math.Abs(luma[i]-none[i]) / float64(len(none))
	}
	if change < 2 {
		t.Errorf("the noise of the brightness has gone: %.1f of it is left", change)
	}
	if grain := with(Options{Grain: 1}); slices.Equal(grain, none) {
		t.Error("no grain was given back")
	}
}

func TestRawOfGivenSigma(t *testing.T) {
	f, clean := rawScene(nil)
	out, r := denoisedRaw(t, f, FileOptions{Options: Options{Quality: Fast, Noise: Gaussian, Sigma: 0.6}})
	if before, after := squareError(f.Samples, clean), squareError(out, clean); after > before/2 {
		t.Errorf("mean square error %.0f to %.0f", before, after)
	}
	if r.Noise != Gaussian || math.Abs(r.Sigma-0.6) > 1e-6 {
		t.Errorf("%+v", r)
	}
	f, _ = rawScene(nil)
	o := FileOptions{Options: Options{Models: must.Get(ShippedModels("local"))(t)}}
	_, err := Stream(context.Background(), &bytes.Buffer{}, bytes.NewReader(f.Bytes()), o)
	if !errors.Is(err, imageio.ErrUnsupported) {
		t.Errorf("with models for pictures: %v", err)
	}
}

func TestRawWithoutNoiseProfile(t *testing.T) {
	f, clean := rawScene(nil)
	f.Noise = nil
	_, err := Stream(context.Background(), &bytes.Buffer{}, bytes.NewReader(f.Bytes()), FileOptions{})
	if !errors.Is(err, imageio.ErrUnsupported) || !strings.Contains(err.Error(), "NoiseProfile") {
		t.Error(err)
	}
	// Variance 4e-4 x + 1e-6 over a range of 15871.
	p := &Profile{Version: 1, Kind: Poisson, FullScale: 65535, Channels: []ChannelNoise{{Gain: 6.35, Offset: 512,
		ReadNoise: 15.9}}}
	out, _ := denoisedRaw(t, f, FileOptions{Options: Options{Quality: Fast, Profile: p}})
	if before, after := squareError(f.Samples, clean), squareError(out, clean); after > before/3 {
		t.Errorf("mean square error %.0f to %.0f with a profile", before, after)
	}
}

func TestMeasuredNoiseOfRaw(t *testing.T) {
	for _, gray := range []bool{false, true} {
		f := dngtest.File{Width: 420, Height: 380, Black: []uint32{512}, Active: []uint32{0, 5, 380, 420}}
		if gray {
			f.Raw = map[uint16]*dngtest.Tag{262: f.Shorts(34892)}
		}
		clean := f.Scene(3, 4e-4, 1e-6)
		f.Noise = nil
		out, r := denoisedRaw(t, &f, FileOptions{Options: Options{Quality: Fast}})
		if before, after := squareError(f.Samples, clean), squareError(out, clean); after > before/6 {
			t.Errorf("gray %v: mean square error %.1f to %.1f", gray, before, after)
		}
		if !r.Estimated || r.Rule != "raw" || r.Noise != Poisson {
			t.Errorf("gray %v: %+v", gray, r)
		}
	}
	f := dngtest.File{Width: 640, Height: 560, Black: []uint32{512}}
	f.Scene(3, 0, 0)
	texture := rand.New(rand.NewPCG(1, 1))
	for i := range f.Samples { // nowhere is it as weak as beside that place
		contrast := 14000 * math.Exp(-float64((i%640+i/640)%160)/20)
		f.Samples[i] = uint16(8000 + contrast*(texture.Float64()-0.5))
	}
	f.Noise = nil
	if _, err := Stream(context.Background(), &bytes.Buffer{}, bytes.NewReader(f.Bytes()), FileOptions{}); err == nil {
		t.Error("texture is taken for noise")
	}
}

func TestNoiseOfRaw(t *testing.T) {
	f, _ := rawScene(nil)
	img := must.Get(imageio.Decode(f.Bytes(), imageio.ReadOptions{}))(t)
	a := must.Get(Analyse(context.Background(), img, FileOptions{}))(t)
	if r := a.Result(); r.Noise != Poisson || math.Abs(r.Photons.Gain-4e-4*15871) > 1e-6 || r.Photons.Offset != 512 {
		t.Errorf("%+v", r)
	}
	if _, err := a.Map(context.Background(), img); !errors.Is(err, imageio.ErrUnsupported) {
		t.Error(err)
	}
	crop := FileOptions{Options: Options{Crop: bounds(img)}}
	if _, err := Decoded(context.Background(), img, crop); !errors.Is(err, imageio.ErrUnsupported) {
		t.Error(err)
	}
}

func TestRawDoesNotDependOnWorkers(t *testing.T) {
	f, _ := rawScene(nil)
	f.Samples[20*130+30], f.Samples[20*130+32] = 12000, 11000
	one, _ := denoisedRaw(t, f, FileOptions{Options: Options{Quality: Fast, Workers: 1}})
	many, _ := denoisedRaw(t, f, FileOptions{Options: Options{Quality: Fast, Workers: 5}})
	if !slices.Equal(one, many) {
		t.Error("other samples with more workers")
	}
}

// Rows that shift together are evened if the masked border tells it, and only then.
func TestRowsOfRaw(t *testing.T) {
	for _, told := range []bool{true, false} {
		f := &dngtest.File{Width: 130, Height: 101, Black: []uint32{512}, Active: []uint32{0, 24, 101, 130}}
		if told {
			f.Raw = map[uint16]*dngtest.Tag{50830: f.Longs(0, 0, 101, 24)}
		}
		const read = 48 // for a range of 15871
		clean := f.Scene(1, 1e-6, 1e-5)
		random := rand.New(rand.NewPCG(1, 1))
		for y := range f.Height {
			shift := read * random.NormFloat64()
			for x := range f.Width {
				v := &f.Samples[y*f.Width+x]
				if x < 24 {
					*v = uint16(512 + read*random.NormFloat64())
				}
				*v = uint16(math.Round(float64(*v) + shift))
			}
		}
		out, _ := denoisedRaw(t, f, FileOptions{Options: Options{Quality: Fast}})
		share := rowError(out, clean, f.Width, 24) / rowError(f.Samples, clean, f.Width, 24)
		if told && share > 1./3 || !told && share < 0.7 {
			t.Errorf("masked areas told: %v: %.2f of the row noise is left", told, share)
		}
	}
}

// rowError returns the standard deviation of the mean error of rows, from a column on.
func rowError[T uint16 | float64](samples []T, clean []float64, width, from int) float64 {
	var means []float64
	for at := 0; at < len(samples); at += width {
		mean := 0.0
		for x := from; x < width; x++ {
			mean += (float64(samples[at+x]) - clean[at+x]) / float64(width-from)
		}
		means = append(means, mean)
	}
	return math.Sqrt(squareError(means, make([]float64, len(means))))
}

// Previews are denoised where they show the noise.
func TestPreviewsOfRaw(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	picture := &imageio.Image{Width: 64, Height: 64, Planes: make([][]float32, 3), Depth: imageio.Depth8}
	for c := range picture.Planes {
		for range 64 * 64 {
			picture.Planes[c] = append(picture.Planes[c], float32(0.5+0.06*random.NormFloat64()))
		}
	}
	var preview bytes.Buffer
	must.Do(t, imageio.Encode(&preview, picture, imageio.WriteOptions{Format: imageio.JPEG}))
	for _, slope := range []float64{1e-6, 4e-4} {
		f := &dngtest.File{Width: 130, Height: 101, Black: []uint32{512}, Preview: preview.Bytes(), PreviewSide: 64}
		f.Scene(1, slope, 1e-9)
		var out bytes.Buffer
		o := FileOptions{Options: Options{Quality: Fast}}
		must.Get(Stream(context.Background(), &out, bytes.NewReader(f.Bytes()), o))(t)
		if same := bytes.Contains(out.Bytes(), preview.Bytes()); same != (slope < 1e-5) {
			t.Errorf("slope %g: the preview has stayed: %v", slope, same)
		}
	}
}

func TestRawDoesNotDependOnStorage(t *testing.T) {
	scene := func(f *dngtest.File) {
		f.Width, f.Colours, f.Active = 132, [4]byte{1, 2, 0, 1}, []uint32{3, 5, 101, 132}
		f.Black = []uint32{512, 513, 511, 510}
	}
	f, _ := rawScene(scene)
	want, _ := denoisedRaw(t, f, FileOptions{Options: Options{Quality: Fast}})
	for name, change := range map[string]func(f *dngtest.File){
		"big endian":     func(f *dngtest.File) { f.Big = true },
		"packed":         func(f *dngtest.File) { f.Store = dngtest.Packed },
		"lossless":       func(f *dngtest.File) { f.Store = dngtest.Lossless },
		"lossless tiles": func(f *dngtest.File) { f.Store, f.Tile = dngtest.Lossless, 96 },
		"packed tiles":   func(f *dngtest.File) { f.Store, f.Tile, f.Big = dngtest.Packed, 96, true },
		"deflate":        func(f *dngtest.File) { f.Store, f.RawFirst = dngtest.Deflated, true },
	} {
		f, _ := rawScene(scene)
		change(f)
		if got, _ := denoisedRaw(t, f, FileOptions{Options: Options{Quality: Fast}}); !slices.Equal(got, want) {
			t.Errorf("%s: other samples than those of the plain file", name)
		}
	}
}
