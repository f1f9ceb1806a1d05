package denoise

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/level"
	"github.com/blorc-denoise/blorc-denoise/internal/mosaic"
)

// The raw picture of a DNG file has one sample of one colour in each place. Its noise is what physics says, and the
// file tells it: that of photons, without correlation. A network for mosaics removes it. Black and clipped samples
// matter to programs that develop the file: nothing is clipped at black, and what is clipped at white stays so.

// denoiseMosaic denoises the raw picture of a DNG file in place.
func (j job) denoiseMosaic(img *imageio.Image) (Result, error) {
	m := img.Mosaic
	j, told, err := j.forMosaic(img)
	if err != nil || j.Noise == None {
		return told, err
	}
	r, err := j.removeFromMosaic(img, j.sensorOf(img))
	r.Estimated, r.Rule = told.Estimated, told.Rule
	if err != nil || r.Model == "" {
		return r, err
	}
	m.Reduced = 1 - (1-m.Reduced)*j.Keep
	if j.isSeen(m) {
		err = m.EachPreview(j.denoisePreview)
	}
	return r, err
}

// forMosaic returns the job with the noise of a raw picture, and a result that describes it. The noise is None if the
// picture is to stay as it is.
func (j job) forMosaic(img *imageio.Image) (job, Result, error) {
	m, r := img.Mosaic, Result{Noise: None}
	switch {
	case !j.Crop.Empty():
		return j, r, unsupportedMosaic("cropped")
	case m.Denoised() && j.isFree():
		r.Warnings = []string{fmt.Sprintf("already denoised: its tag NoiseReductionApplied is %.2g", m.Reduced)}
		j.Noise = None
	case !m.Gray && !j.Models.refined(false):
		return j, r, unsupportedMosaic("denoised with other models")
	case j.keepsAll(3):
		j.Noise = None
	}
	if j.Noise == None {
		return j, r, nil
	}
	j, found, err := j.told(img)
	if err != nil {
		return j, Result{}, err
	}
	n, _ := j.given(image{})
	r = n.result()
	if found {
		r.Estimated, r.Rule = true, "raw"
	}
	return j, r, nil
}

// isSeen reports whether developed pictures show the noise. In those that show none, fine detail looks like noise.
func (j job) isSeen(m *imageio.Mosaic) bool {
	if j.Profile == nil {
		return true
	}
	full := imageio.Depth16.Max()
	level := (m.Black(0, 0) + mosaic.Gray*m.Range()) / full
	return mosaic.IsSeen(float64(deviations(j.Profile)(1, float32(level))) * full / m.Range())
}

// denoisePreview denoises a small picture that the file shows until it is developed. It is a picture as any other.
func (j job) denoisePreview(img *imageio.Image) error {
	o := Options{Quality: Fast, Keep: j.Keep, KeepLuma: j.KeepLuma, KeepChroma: j.KeepChroma, Workers: j.Workers,
		KeepMean: true} // the raw picture stays as bright as it was
	p := newJob(j.ctx, o)
	p.file = fileFacts{steps: level.Steps(img.Steps), tone: o.toneCurveOf(img)}
	_, err := p.removeFromPicture(img)
	return err
}

// unsupportedMosaic says what cannot be done with raw pictures.
func unsupportedMosaic(what string) error {
	return profileError{"a raw picture cannot be " + what + ": develop it first", imageio.ErrUnsupported}
}

// sensor holds what the whole of a raw picture tells. Parts of it need that, too.
type sensor struct {
	black float64   // level of the first sample of the active area; the denoiser gets all samples at this one
	rows  []float32 // what the samples of a row of the active area have in common; nil = nothing
	noise *Profile  // nil = not known
}

func (j job) sensorOf(img *imageio.Image) sensor {
	m := img.Mosaic
	return sensor{m.Black(0, 0), rowOffsets(img), cmp.Or(j.Profile, mosaicProfile(m))}
}

// removeFromMosaic removes the noise from the active area.
func (j job) removeFromMosaic(img *imageio.Image, s sensor) (Result, error) {
	m := img.Mosaic
	raw := activeOf(img, s.black)
	raw.Lower(s.rows, 1-float32(j.Keep))
	var hot []int
	if s.noise != nil && !m.Gray {
		hot = raw.RemoveHot(j.ctx, j.Workers, deviations(s.noise))
	}
	var r Result
	var err error
	if m.Gray {
		r, err = j.removeFromGray(raw)
	} else {
		r, err = j.removeFromColours(raw, s.black/imageio.Depth16.Max())
	}
	if err != nil {
		return Result{}, err
	}
	if r.Hot += len(hot); r.Model != "" || len(hot) > 0 {
		putActive(img, raw, s.black, hot)
	}
	return r, nil
}

// removeFromGray denoises samples without colours.
func (j job) removeFromGray(raw mosaic.Mosaic) (Result, error) {
	planes := [][]float32{raw.Pix}
	return j.removeFromPicture(&imageio.Image{Width: raw.Width, Height: raw.Height, Planes: planes,
		Depth: imageio.DepthFloat32})
}

// removeFromPicture denoises a picture in place.
func (j job) removeFromPicture(img *imageio.Image) (Result, error) {
	p, err := j.prepare(img, preparing{white: 1, change: true, raw: img.Depth == imageio.DepthFloat32})
	if err != nil {
		return Result{}, err
	}
	if err := p.find(p.there); err != nil {
		return Result{}, err
	}
	r, out := p.result(), *p.img
	if r.Model, err = p.remove(j, &out, p.there, 0); err == nil {
		img.Planes = out.Planes
	}
	return r, err
}

// putActive writes samples of a black level into the image. What was clipped stays as it was, except for hot pixels,
// and nothing else becomes so.
func putActive(img *imageio.Image, raw mosaic.Mosaic, black float64, hot []int) {
	m, full := img.Mosaic, imageio.Depth16.Max()
	white, below := float32(m.White/full), float32((m.White-1)/full)
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
