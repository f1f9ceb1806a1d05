package denoise

import (
	"context"
	goimage "image"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// wholeChroma is the denoised chroma of a whole image at a quarter of its size (see wholeSize). Tiles and parts take
// the low frequencies of their chroma from it.
type wholeChroma struct {
	planes [2]patchify.Plane
}

// within says that an image is a part of a larger one.
type within struct {
	chroma *wholeChroma  // of the larger image; nil if nothing needs it
	at     goimage.Point // where the part begins: at a multiple of wholeSide
}

func (n gaussianNoise) wholeChroma(ctx context.Context, img image, o Options) (*wholeChroma, error) {
	return n.wholeAfter(ctx, img, o, func(rows [][]float32) { lift(rows, -n.pedestal) })
}

func (n evenedNoise) wholeChroma(ctx context.Context, img image, o Options) (*wholeChroma, error) {
	if n.whole == nil {
		n = n.of(img.planes)
	}
	return n.gaussian().wholeAfter(ctx, img, o, func(rows [][]float32) {
		n.stabilize(rows, Options{},
			crew{workers: 1})
	})
}

// wholeAfter returns the chroma of an image whose rows are prepared first. The image stays as it is.
func (n gaussianNoise) wholeAfter(ctx context.Context, img image, o Options,
	prepare func(rows [][]float32)) (*wholeChroma, error) {
	if len(img.planes) != 3 {
		return nil, nil
	}
	m, err := n.choose(3, o)(1)
	if err != nil || m.chroma == nil || !m.chroma.sizes {
		return nil, err
	}
	small, err := img.shrink(ctx, o.Workers, func(rows [][]float32) [][]float32 {
		var copies [][]float32
		for _, r := range rows {
			copies = append(copies, slices.Clone(r))
		}
		prepare(copies)
		decorrelate(copies, crew{workers: 1})
		return copies
	})
	if err != nil {
		return nil, err
	}
	return m.chroma.whole(ctx, small, m.sigma, stage.Options{Workers: o.Workers})
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
