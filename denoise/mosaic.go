package denoise

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/mosaic"
)

// The raw picture of a DNG file has one sample of one colour in each place. Its noise is what physics says, and the
// file tells it: that of photons, without correlation. So the mosaic is taken apart into pictures of red, green and
// blue at half the size, which are denoised as any such picture, and put together again. The mean over several ways to
// take it apart is better than each, and both greens, which often differ a little, never mix. Black and clipped samples
// matter to programs that develop the file: nothing is clipped at black, and what is clipped at white stays so.

// denoiseMosaic denoises the raw picture of a DNG file in place.
func (j job) denoiseMosaic(img *imageio.Image) (Result, error) {
	m := img.Mosaic
	if !j.Crop.Empty() {
		return Result{}, badArgument("a raw picture cannot be cropped")
	}
	if m.Denoised() && j.isFree() {
		img.Warnings = append(img.Warnings, fmt.Sprintf("already denoised: its tag NoiseReductionApplied is %.2g",
			m.Reduced))
		return Result{Noise: None}, nil
	}
	told := j.Profile
	if told == nil && j.isFree() {
		if told = mosaicProfile(m); told == nil {
			return Result{}, noNoiseProfile()
		}
	}
	if j.Noise == None || j.keepsAll(3) {
		return Result{Noise: None}, nil
	}
	j.Profile = told
	r, err := j.removeFromMosaic(img)
	if err == nil && r.Model != "" {
		m.Reduced = 1 - (1-m.Reduced)*j.Keep
	}
	return r, err
}

func noNoiseProfile() error {
	return profileError{"DNG without a NoiseProfile is not supported: convert it with Adobe DNG Converter, which adds " +
		"one, or give a noise profile of the camera", imageio.ErrUnsupported}
}

// mosaicProfile returns the noise that the file tells, in its unit, or nil if it tells none. Black is the offset.
func mosaicProfile(m *imageio.Mosaic) *Profile {
	if len(m.Noise) == 0 {
		return nil
	}
	span := m.Range()
	p := &Profile{Version: profileVersion, Kind: Poisson, FullScale: imageio.Depth16.Max()}
	for _, n := range m.Noise {
		p.Channels = append(p.Channels, ChannelNoise{Gain: max(n.Slope*span, minProfileNumber*p.FullScale),
			Offset: m.Black(0, 0), ReadNoise: math.Sqrt(n.Floor) * span})
	}
	return p
}

// removeFromMosaic removes the noise from the active area.
func (j job) removeFromMosaic(img *imageio.Image) (Result, error) {
	m := img.Mosaic
	raw := activeOf(img)
	var hot []int
	if told := cmp.Or(j.Profile, mosaicProfile(m)); told != nil && !m.Gray {
		hot = raw.RemoveHot(j.ctx, j.Workers, deviations(told))
	}
	r, err := j.removeFromViews(raw, m.Gray)
	if err != nil {
		return Result{}, err
	}
	if r.Hot += len(hot); r.Model != "" || len(hot) > 0 {
		putActive(img, raw, hot)
	}
	return r, nil
}

// removeFromViews denoises the views of a mosaic, and gives it their mean.
func (j job) removeFromViews(raw mosaic.Mosaic, gray bool) (r Result, err error) {
	if gray {
		return j.planes([][]float32{raw.Pix}, raw.Width, raw.Height)
	}
	views := mosaic.Views(j.Quality != Fast)
	if j.Quality == Balanced { // more views give more than better ones
		j.Quality = Fast
	}
	sum := raw.NewSum()
	width, height := raw.Size()
	for i, v := range views {
		planes := raw.Picture(j.ctx, j.Workers, v)
		if err := j.err(); err != nil {
			return Result{}, err
		}
		part, err := j.share(i, len(views)).planes(planes, width, height)
		if err != nil {
			return Result{}, err
		}
		if i == 0 {
			r = part
		}
		sum.Add(j.ctx, j.Workers, v, planes)
	}
	for y := range raw.Height {
		for x := range raw.Width {
			raw.Pix[y*raw.Width+x] = sum.Mean(x, y)
		}
	}
	return r, j.err()
}

// activeOf returns the samples that show something, all with the black level of the first one.
func activeOf(img *imageio.Image) mosaic.Mosaic {
	m, full := img.Mosaic, imageio.Depth16.Max()
	raw := mosaic.Mosaic{Width: m.Active.Dx(), Height: m.Active.Dy(), Colours: m.Colours}
	black := m.Black(0, 0)
	for y := range raw.Height {
		row := img.Planes[0][(y+m.Active.Min.Y)*img.Width+m.Active.Min.X:][:raw.Width]
		for x, v := range row {
			raw.Pix = append(raw.Pix, v+float32((black-m.Black(x, y))/full))
		}
	}
	return raw
}

// putActive writes the samples into the image. What was clipped stays as it was, except for hot pixels, and nothing
// else becomes so.
func putActive(img *imageio.Image, raw mosaic.Mosaic, hot []int) {
	m, full := img.Mosaic, imageio.Depth16.Max()
	black, white := m.Black(0, 0), float32(m.White/full)
	below := float32((m.White - 1) / full)
	for y := range raw.Height {
		row := img.Planes[0][(y+m.Active.Min.Y)*img.Width+m.Active.Min.X:][:raw.Width]
		for x, v := range raw.Pix[y*raw.Width:][:raw.Width] {
			_, isHot := slices.BinarySearch(hot, y*raw.Width+x)
			if row[x] < white || isHot {
				row[x] = min(v-float32((black-m.Black(x, y))/full), below)
			}
		}
	}
}

// deviations returns the standard deviation of the noise at a level of a colour.
func deviations(p *Profile) func(colour int, level float32) float32 {
	b := p.noise().curve
	return func(colour int, level float32) float32 { return float32(b.deviation(colour, float64(level), 1)) }
}
