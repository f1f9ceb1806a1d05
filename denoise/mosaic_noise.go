package denoise

import (
	"cmp"
	"math"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/mosaic"
	"github.com/blorc-denoise/blorc-denoise/internal/subspace"
)

// told returns the job with the noise that the options give or the file tells. If neither does, it measures the noise,
// and found is true.
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
	return profileError{"DNG that does not tell its noise (NoiseProfile), and is too detailed or too small for " +
		"measuring it, is not supported: give a noise profile of the camera, or convert it with Adobe DNG Converter, " +
		"which adds that", imageio.ErrUnsupported}
}

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

// measuredMosaic measures the noise of photons and of the amplifier in each colour. It is nil if none can be told from
// the detail.
func (j job) measuredMosaic(img *imageio.Image) *Profile {
	m, full := img.Mosaic, imageio.Depth16.Max()
	raw, black := activeOf(img, m.Black(0, 0)), m.Black(0, 0)/full
	p := &Profile{Version: profileVersion, Kind: Poisson, FullScale: full}
	var all []subspace.Point
	colours, width, height := raw.Planes()
	for _, colour := range colours {
		if len(colour) == 0 {
			continue
		}
		points := subspace.Measure(j.ctx, colour, width, height, m.White/full, j.Workers)
		if len(points) == 0 {
			return nil
		}
		for i := range points {
			points[i].Variance = max(points[i].Variance, 1/(12*full*full)) // of rounding
		}
		all = append(all, points...)
		slope, floor := subspace.Line(points, black)
		p.Channels = append(p.Channels, ChannelNoise{Gain: max(slope, minProfileNumber) * full,
			Offset: m.Black(0, 0), ReadNoise: math.Sqrt(floor) * full})
	}
	if !subspace.IsNoise(all) {
		return nil
	}
	return p
}

// activeOf returns the samples that show something, all with the same black level.
func activeOf(img *imageio.Image, black float64) mosaic.Mosaic {
	m, full := img.Mosaic, imageio.Depth16.Max()
	raw := mosaic.Mosaic{Width: m.Active.Dx(), Height: m.Active.Dy(), Colours: m.Colours}
	for y := range raw.Height {
		row := img.Planes[0][(y+m.Active.Min.Y)*img.Width+m.Active.Min.X:][:raw.Width]
		for x, v := range row {
			raw.Pix = append(raw.Pix, v+float32((black-m.Black(x, y))/full))
		}
	}
	return raw
}

// rowOffsets returns the noise that each row of the active area shares, as far as the masked border tells it. Nil means
// none.
func rowOffsets(img *imageio.Image) []float32 {
	m := img.Mosaic
	masked := make([][]float32, m.Active.Dy())
	for y := range masked {
		for _, r := range m.Masked {
			if at := y + m.Active.Min.Y; at >= r.Min.Y && at < r.Max.Y {
				masked[y] = append(masked[y], img.Planes[0][at*img.Width+r.Min.X:at*img.Width+r.Max.X]...)
			}
		}
	}
	return mosaic.RowOffsets(masked)
}

// deviations returns the standard deviation of the noise at a level of a colour.
func deviations(p *Profile) func(colour int, level float32) float32 {
	b := p.noise().curve
	return func(colour int, level float32) float32 { return float32(b.deviation(colour, float64(level), 1)) }
}
