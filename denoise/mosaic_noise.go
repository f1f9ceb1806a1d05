package denoise

import (
	"cmp"
	"math"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/quantile"
	"github.com/blorc-denoise/blorc-denoise/internal/subspace"
)

// told returns the job with the noise that the options give, that the file tells, or, if found, that its samples show.
func (j job) told(img *imageio.Image) (told job, found bool, err error) {
	if _, ok := j.given(image{}); ok {
		return j, false, nil
	}
	if j.Profile = mosaicProfile(img.Mosaic); j.Profile != nil {
		return j, false, nil
	}
	if j.Profile = j.measuredMosaic(img); j.Profile == nil {
		return j, false, cmp.Or(j.err(), noNoiseProfile())
	}
	return j, true, nil
}

func noNoiseProfile() error {
	return profileError{"DNG that does not tell its noise (NoiseProfile), and is too detailed or too small for measuring " +
		"it, is not supported: give a noise profile of the camera, or convert it with Adobe DNG Converter, which adds that",
		imageio.ErrUnsupported}
}

const (
	// nearWhite is the share of the range from which on samples do not count when noise is measured: it is clipped.
	nearWhite = 0.98
	// maxFalling is how far the noise may fall, at the median brightness, when fewer patches are taken. Drawn pictures
	// that were measured right have up to 1.03, those measured up to twice too high 1.17, others from 1.48 on.
	maxFalling = 1.2
)

// mosaicProfile returns the noise that the file tells, in its unit, or nil if it tells none. Black is the offset.
func mosaicProfile(m *imageio.Mosaic) *Profile {
	if len(m.Noise) == 0 {
		return nil
	}
	noise, span := m.Noise, m.Range()
	if m.Gray {
		noise = noise[:1]
	}
	p := &Profile{Version: profileVersion, Kind: Poisson, FullScale: imageio.Depth16.Max()}
	for _, n := range noise {
		p.Channels = append(p.Channels, ChannelNoise{Gain: max(n.Slope*span, minProfileNumber*p.FullScale),
			Offset: m.Black(0, 0), ReadNoise: math.Sqrt(n.Floor) * span})
	}
	return p
}

// measuredMosaic measures the noise of photons and of the amplifier in each colour. It is nil if none can be told from the
// detail.
func (j job) measuredMosaic(img *imageio.Image) *Profile {
	m, full := img.Mosaic, imageio.Depth16.Max()
	raw, black := activeOf(img, m.Black(0, 0)), m.Black(0, 0)/full
	limit := float32(black + nearWhite*m.Range()/full)
	p := &Profile{Version: profileVersion, Kind: Poisson, FullScale: full}
	var falling []float64
	for _, colour := range raw.Planes() {
		if len(colour) == 0 {
			continue
		}
		points := subspace.Measure(j.ctx, colour, raw.Width/2, raw.Height/2, limit, j.Workers)
		if len(points) == 0 {
			return nil
		}
		for i := range points {
			falling = append(falling, points[i].Falling)
			points[i].Variance = max(points[i].Variance, 1/(12*full*full)) // of rounding
		}
		slope, floor := subspace.Line(points, black)
		p.Channels = append(p.Channels, ChannelNoise{Gain: max(slope, minProfileNumber) * full, Offset: m.Black(0, 0),
			ReadNoise: math.Sqrt(floor) * full})
	}
	if quantile.Median(falling) > maxFalling {
		return nil
	}
	return p
}
