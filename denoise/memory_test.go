package denoise

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// The estimate grows with everything that takes memory, and does not overflow.
func TestMemory(t *testing.T) {
	info := imageio.Info{Format: imageio.PNG, Channels: 4, Pages: 1, Samples: 4 * 99e6, Scratch: 8 * 99e6}
	if got := Memory(info, 3_400_000, Options{Noise: Camera}); got < 2_300_000_000 || got > 2_500_000_000 {
		t.Errorf("99 megapixels of RGBA with 16 bits: %d bytes", got) // 2.3 GB were measured
	}
	photo := imageio.Info{Format: imageio.PNG, Channels: 3, Pages: 1, Samples: 3 * 4200 * 2800}
	if got := Memory(photo, 24_000_000, Options{}); got < 800_000_000 || got > 1_000_000_000 {
		// 941 MB were measured, with the models that are loaded
		t.Errorf("12 megapixels of RGB with white noise: %d bytes", got)
	}
	if got := Memory(imageio.Info{}, 1e6, Options{}); got < 16<<20+4e6 {
		t.Errorf("a file of unknown size: %d bytes", got)
	}
	strip := imageio.Info{Format: imageio.PNG, Width: 100_000, Height: 1000, Channels: 3, Pages: 1,
		Samples: 3 * 100_000 * 1000}
	for range 2 { // the second is turned when it is read
		// the image, the pilots, and the rows that the network sees
		if got := Memory(strip, 0, Options{}); got < 16<<20+3*4*strip.Samples {
			t.Errorf("%d x %d pixels of RGB: %d bytes", strip.Width, strip.Height, got)
		}
		strip.Width, strip.Height = strip.Height, strip.Width
	}
	info.Scratch = 0 // else reading may take more than the models
	whole := Memory(info, 0, Options{})
	if got := Memory(info, 0, Options{Keep: 0.5}); got != whole+4*info.Samples { // the noise may be that of photons
		t.Errorf("half of the strength takes %d bytes, all of it %d", got, whole)
	}
	if got := Memory(info, 0, Options{Keep: 0.5, Sigma: 10}); got != whole {
		t.Errorf("half of the strength with white noise takes %d bytes, all of it %d", got, whole)
	}
	if got := Memory(info, 0, Options{Grain: 0.5, Sigma: 10}); got != whole+info.Samples { // a plane of four
		t.Errorf("with grain %d bytes, without %d", got, whole)
	}
	for _, c := range []struct {
		width, height, channels, pages int
		quality                        Quality
		peak                           int64 // of the command line
	}{
		{632, 474, 1, 40, Balanced, 418_726_000},
		{632, 474, 1, 40, Best, 514_925_000},
		{1265, 949, 1, 20, Balanced, 951_013_000},
		{632, 474, 3, 24, Balanced, 661_111_000},
		{1265, 949, 3, 20, Balanced, 1_966_907_000},
	} {
		page := imageio.Info{Format: imageio.TIFF, Width: c.width, Height: c.height, Channels: c.channels,
			Pages: c.pages, Samples: int64(c.width * c.height * c.channels)}
		got := Memory(page, 2e9, Options{Together: true, Quality: c.quality})
		if got < c.peak || float64(got) > 1.25*float64(c.peak) {
			t.Errorf("%d pages of %d x %d x %d together: %d bytes, %d were measured", c.pages, c.width, c.height,
				c.channels, got, c.peak)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		i := imageio.Info{Format: imageio.Format(rapid.IntRange(0, 3).Draw(t, "format")),
			Channels: rapid.IntRange(0, 5).Draw(t, "channels"),
			Pages:    rapid.IntRange(1, 2).Draw(t, "pages"), Samples: rapid.Int64Range(1, 1<<50).Draw(t, "samples"),
			Scratch: rapid.Int64Range(0, 1<<50).Draw(t, "scratch")}
		n := rapid.Int64Range(0, 1<<40).Draw(t, "bytes")
		got := Memory(i, n, Options{})
		if least := 4*i.Samples + i.Scratch; got < least {
			t.Fatalf("%d bytes, reading alone takes %d", got, least)
		}
		more := i
		more.Samples++
		if Memory(more, n, Options{}) <= got || Memory(i, n+1, Options{}) < got {
			t.Fatal("a larger file takes less")
		}
		if Memory(i, n, Options{Quality: Best, Grain: 1}) < got {
			t.Fatal("more work takes less")
		}
	})
}
