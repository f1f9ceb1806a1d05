package denoise

import (
	"context"
	goimage "image"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// wholeChroma is the denoised chroma of a whole image at a quarter of its size (see wholeSize). Tiles and parts take
// the low frequencies of their chroma from it.
type wholeChroma struct {
	planes [2]patchify.Plane
}

// wholeChroma returns the chroma of the whole image that the removal from a part needs, or nil. The image stays as it
// is.
func (n noiseModel) wholeChroma(j job, img image) (*wholeChroma, error) {
	if n.isNone() || n.scale > 1 || len(img.planes) != 3 { // an upsampled picture is denoised as a whole anyway
		return nil, nil
	}
	m, err := n.afterCurve().choose(3, j.Options)(1)
	if err != nil || m.chroma == nil || !m.chroma.sizes {
		return nil, err
	}
	if n.places != nil {
		img = img.clone()
		n.places.divide(img, goimage.Point{}, j.pool())
	}
	one := pool{workers: 1}
	small, err := img.shrink(j.ctx, j.Workers, func(rows [][]float32) [][]float32 {
		rows = clonePlanes(rows)
		if n.curve != nil {
			n.curve.stabilise(rows, one)
		} else {
			lift(rows, -n.even.pedestal)
		}
		decorrelate(rows, one)
		return rows
	})
	if err != nil {
		return nil, err
	}
	return m.chroma.whole(j.ctx, small, m.sigma, stage.Options{Workers: j.Workers})
}

// whole denoises the planes that shrink returns. Sigma is the noise at full size.
func (m *chromaModels) whole(ctx context.Context, small [3]patchify.Plane, sigma float64,
	run stage.Options) (*wholeChroma, error) {
	planes, err := m.denoise(ctx, wholeSize, small, sigma/wholeSide, run)
	if err != nil {
		return nil, err
	}
	return &wholeChroma{planes}, nil
}

// bandRows is how many rows are shrunk together.
const bandRows = 4 * wholeSide

// shrink returns the three planes of an image at a quarter of its size, after some rows at a time have been prepared.
func (img image) shrink(ctx context.Context, workers int,
	prepare func(rows [][]float32) [][]float32) (small [3]patchify.Plane, err error) {
	width, height := (img.width+wholeSide-1)/wholeSide, (img.height+wholeSide-1)/wholeSide
	for i := range small {
		small[i] = patchify.NewPlane(width, height)
	}
	err = parallel.For(ctx, workers, (img.height+bandRows-1)/bandRows, func(_, band int) {
		from, to := band*bandRows, min((band+1)*bandRows, img.height)
		var rows [][]float32
		for _, p := range img.planes {
			rows = append(rows, p[from*img.width:to*img.width])
		}
		for i, r := range prepare(rows) {
			p := patchify.Plane{Width: img.width, Height: to - from, Pix: r}
			for range wholeSize {
				p = patchify.Downsample2(p, 1)
			}
			copy(small[i].Pix[from/wholeSide*width:], p.Pix)
		}
	})
	return small, err
}

// part returns what covers a part of the whole image, which begins at multiples of wholeSide.
func (w *wholeChroma) part(plane int, area goimage.Rectangle) patchify.Plane {
	return patchify.Crop(w.planes[plane], area.Min.X/wholeSide, area.Min.Y/wholeSide, (area.Dx()+wholeSide-1)/wholeSide,
		(area.Dy()+wholeSide-1)/wholeSide)
}
