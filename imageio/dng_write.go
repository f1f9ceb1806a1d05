package imageio

import (
	"context"
	"io"
	"math"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/losslessjpeg"
	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
)

// checkDNG refuses a picture that comes from no DNG file, or is another one by now.
func (o *WriteOptions) checkDNG(img *Image) error {
	d := img.stored.dng
	switch {
	case d == nil || img.Mosaic == nil:
		return failf(ErrUnsupported, "DNG is written from DNG files only")
	case int64(img.Width) != d.layout.width || int64(img.Height) != d.layout.height || img.Depth != Depth16 ||
		len(img.channels()) != 1:
		return failf(ErrUnsupported, "DNG holds a raw picture as the sensor has it, whole and of 16 bits")
	case o.Strip:
		return failf(ErrUnsupported, "a DNG file without its metadata cannot be developed")
	}
	return nil
}

// encodeDNG writes the file as it was, with other samples: as lossless JPEG of predictor 1, which all programs read.
// All other bytes stay where they are, since notes of a maker may hold offsets. The new samples take the place of the
// old ones if they fit there, or else the end of the file. A file whose samples have not changed stays as it was.
func encodeDNG(w io.Writer, img *Image, o WriteOptions) error {
	d := img.stored.dng
	if img.sum() == img.stored.sum {
		_, err := w.Write(img.stored.source)
		return err
	}
	samples := make([]uint16, len(img.Planes[0]))
	for i, v := range img.Planes[0] {
		samples[i] = uint16(min(max(math.Round(float64(v)*65535), 0), 65535))
	}
	ctx := o.Context
	if ctx == nil {
		ctx = context.Background()
	}
	tiles := d.tiles(ctx, samples, o.Workers)
	if err := ctx.Err(); err != nil {
		return err
	}
	out := dngWriter{dngFile: d, data: slices.Clone(img.stored.source)}
	places := out.putTiles(tiles)
	out.putPreviews()
	out.changeTags(samples, img.Mosaic.Reduced)
	out.putDirectory(tiles, places, img.Mosaic.Reduced)
	if err := (tiffForm{d.order, d.big}).fits(int64(len(out.data))); err != nil {
		return err
	}
	_, err := w.Write(out.data)
	return err
}

// dngTile is the side of the tiles that are written.
const dngTile = 256

// tileSize returns the sides of tiles: multiples of 16, no larger than needed.
func (d *dngFile) tileSize() (width, height int) {
	return int(min(dngTile, roundUp(d.layout.width, 16))), int(min(dngTile, roundUp(d.layout.height, 16)))
}

// tiles encodes the samples.
func (d *dngFile) tiles(ctx context.Context, samples []uint16, workers int) [][]byte {
	w, h := int(d.layout.width), int(d.layout.height)
	width, height := d.tileSize()
	across, down := (w+width-1)/width, (h+height-1)/height
	tiles := make([][]byte, across*down)
	parallel.For(ctx, workers, len(tiles), func(_, i int) {
		tile := make([]uint16, width*height)
		left, top := i%across*width, i/across*height
		for y := range height {
			row := samples[beyond(top+y, h)*w:][:w]
			for x := range width {
				tile[y*width+x] = row[beyond(left+x, w)]
			}
		}
		tiles[i] = losslessjpeg.Encode(tile, width, height, width, d.bits())
	})
	return tiles
}

// beyond returns the place of the sample that stands for one beyond the edge: the last one of the same colour.
func beyond(i, n int) int {
	for i >= n {
		i -= 2
	}
	return max(i, 0)
}

// dngWriter is a file at work.
type dngWriter struct {
	*dngFile
	data []byte
}

// putTiles puts the tiles where the samples were, or at the end, and returns their places. What is left of the old
// samples becomes zero.
func (w *dngWriter) putTiles(tiles [][]byte) (places []int64) {
	need := int64(0)
	for _, t := range tiles {
		need += even(int64(len(t)))
	}
	end := int64(len(w.data))
	at := even(end)
	runs := w.oldRuns()
	for _, r := range runs {
		clear(w.data[r.at : r.at+r.size])
	}
	for _, r := range runs {
		switch start := even(r.at); {
		case r.at+r.size == end: // then it may be longer or shorter
			w.data, at = w.data[:start:start], start
		case start+need <= r.at+r.size:
			at = start
		default:
			continue
		}
		break
	}
	for _, t := range tiles {
		w.put(at, t)
		places = append(places, at)
		at += even(int64(len(t)))
	}
	return places
}

// oldRuns returns the places of the old samples, strips and tiles that follow each other as one. The longest is first.
func (d *dngFile) oldRuns() []block {
	list := slices.Clone(d.layout.list)
	slices.SortFunc(list, func(a, b block) int { return int(a.at - b.at) })
	runs := list[:0]
	for _, b := range list {
		if n := len(runs); n > 0 && b.at <= even(runs[n-1].at+runs[n-1].size) {
			runs[n-1].size = max(runs[n-1].size, b.at+b.size-runs[n-1].at)
			continue
		}
		runs = append(runs, b)
	}
	slices.SortStableFunc(runs, func(a, b block) int { return int(b.size - a.size) })
	return runs
}

// put writes bytes at a place, which may be beyond the end.
func (w *dngWriter) put(at int64, b []byte) {
	if more := at + int64(len(b)) - int64(len(w.data)); more > 0 {
		w.data = append(w.data, make([]byte, more)...)
	}
	copy(w.data[at:], b)
}

// append writes bytes at the end, and returns their place.
func (w *dngWriter) append(b []byte) int64 {
	at := even(int64(len(w.data)))
	w.put(at, b)
	return at
}
