package denoise

import (
	"context"
	"errors"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/mosaic/dngtest"
	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// rawShot draws a raw shot of a scene, and what it would be without noise.
func rawShot(t *testing.T, seed uint64, change func(*dngtest.File)) (*imageio.Image, []float64) {
	f := dngtest.File{Width: 131, Height: 101, Black: []uint32{512}}
	if change != nil {
		change(&f)
	}
	clean := f.Scene(seed, 4e-4, 1e-6)
	return must.Get(imageio.Decode(f.Bytes(), imageio.ReadOptions{}))(t), clean
}

func TestBurstOfRaw(t *testing.T) {
	apart := func(img *imageio.Image, clean []float64) (sum float64) {
		for i, v := range clean {
			d := float64(img.Planes[0][i])*65535 - v
			sum += d * d / float64(len(clean))
		}
		return sum
	}
	o := FileOptions{Options: Options{Quality: Fast}}
	alone, clean := rawShot(t, 1, nil)
	must.Get(Decoded(context.Background(), alone, o))(t)
	img, _ := rawShot(t, 1, nil)
	r, shares, err := Burst(context.Background(), img, 4, func(i int) (*imageio.Image, error) {
		shot, _ := rawShot(t, uint64(2+i), nil)
		return shot, nil
	}, o)
	if err != nil {
		t.Fatal(err)
	}
	if one, five := apart(alone, clean), apart(img, clean); five > 0.75*one {
		t.Errorf("mean square error of %.0f, and of five shots %.0f", one, five)
	}
	if r.Shots != 5 || len(shares) != 4 || shares[0] < 0.9 || r.Noise != Poisson {
		t.Errorf("%+v, shares %v", r, shares)
	}
	if img.Mosaic.Reduced != 1 {
		t.Errorf("reduced by %v", img.Mosaic.Reduced)
	}
}

func TestBurstOfOtherRaw(t *testing.T) {
	low := func(f *dngtest.File) { f.Active = []uint32{1, 1, 4, 131} }
	for name, c := range map[string]struct {
		first, other func(*dngtest.File)
		want         error
	}{
		"other colours":     {nil, func(f *dngtest.File) { f.Colours = [4]byte{1, 0, 2, 1} }, ErrShots},
		"other active area": {nil, func(f *dngtest.File) { f.Active = []uint32{0, 2, 101, 131} }, ErrShots},
		"other size":        {nil, func(f *dngtest.File) { f.Width = 130 }, ErrShots},
		"small":             {low, low, ErrArgument},
		"gray": {func(f *dngtest.File) { f.Raw = map[uint16]*dngtest.Tag{262: f.Shorts(34892)} }, nil,
			imageio.ErrUnsupported},
	} {
		img, _ := rawShot(t, 1, c.first)
		_, _, err := Burst(context.Background(), img, 1, func(int) (*imageio.Image, error) {
			other, _ := rawShot(t, 2, c.other)
			return other, nil
		}, FileOptions{Options: Options{Quality: Fast}})
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// A picture is no shot of a raw scene.
	img, _ := rawShot(t, 1, nil)
	_, _, err := Burst(context.Background(), img, 1, func(int) (*imageio.Image, error) {
		other, _ := rawShot(t, 2, nil)
		other.Mosaic = nil
		return other, nil
	}, FileOptions{Options: Options{Quality: Fast}})
	if !errors.Is(err, ErrShots) {
		t.Error(err)
	}
}
