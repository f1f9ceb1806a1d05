package display

import (
	"image"
	"math"
	"sync"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/matrix3"
	"github.com/blorc-denoise/blorc-denoise/internal/mosaic"
)

// Raw develops a raw picture for the screen, in the plainest way: what is seen of it before and after denoising is
// alike.
type Raw struct {
	mosaic  *imageio.Mosaic
	gain    [3]float32    // of red, green and blue: they become equal where the picture is white
	white   float32       // what samples are at most then
	colours [3][3]float32 // of linear sRGB for those of the sensor
}

// NewRaw returns what develops a raw picture. Where the file does not tell its colours, their means are gray.
func NewRaw(img *imageio.Image) *Raw {
	m := img.Mosaic
	d := &m.Development
	white := math.Exp2(max(d.Exposure, 0)) // less would make white gray
	r := &Raw{mosaic: m, white: float32(white)}
	for i, row := range fromSensor(d.Matrix) {
		for k, v := range row {
			r.colours[i][k] = float32(v)
		}
	}
	neutral := d.Neutral
	switch {
	case m.Gray:
		neutral = [3]float64{1, 1, 1}
	case neutral == [3]float64{}:
		neutral = r.means(img)
	}
	for c, v := range neutral {
		r.gain[c] = float32(white * max(neutral[0], neutral[1], neutral[2]) / v * imageio.Depth16.Max() / m.Range())
	}
	return r
}

// Bounds returns the area of the upright picture.
func (r *Raw) Bounds() image.Rectangle {
	size := r.mosaic.Active.Size()
	if r.mosaic.Stored(image.Rect(0, 0, 1, 2)).Dx() == 2 { // it lies on its side
		size.X, size.Y = size.Y, size.X
	}
	return image.Rectangle{Max: size}
}

// Source returns the part of the raw picture that an area of the upright picture is made of.
func (r *Raw) Source(area image.Rectangle) image.Rectangle {
	return r.mosaic.Stored(area).Inset(-mosaic.Reach).Intersect(r.mosaic.Active)
}

// Developed returns an area of the upright picture. The raw picture, or a part of it, has its first sample at a point.
func (r *Raw) Developed(raw *imageio.Image, at image.Point, area image.Rectangle) *imageio.Image {
	from := r.Source(area)
	m := r.mosaic.Part(from)
	samples := mosaic.Mosaic{Width: from.Dx(), Height: from.Dy(), Colours: m.Colours,
		Pix: make([]float32, 0, from.Dx()*from.Dy())}
	for y := range samples.Height {
		row := raw.Planes[0][(y+from.Min.Y-at.Y)*raw.Width+from.Min.X-at.X:][:samples.Width]
		gains := [2]float32{r.gain[m.Colours[y%2][0]], r.gain[m.Colours[y%2][1]]}
		for x, v := range row {
			light := gains[x%2] * (v - float32(m.Black(x, y)/imageio.Depth16.Max()))
			samples.Pix = append(samples.Pix, min(light, r.white))
		}
	}
	inner := r.mosaic.Stored(area).Sub(from.Min)
	out := &imageio.Image{Width: inner.Dx(), Height: inner.Dy(), Depth: imageio.Depth8, Format: imageio.DNG}
	if m.Gray {
		out.Planes = [][]float32{cut(samples.Pix, samples.Width, inner)}
	} else {
		planes := samples.Interpolated(inner)
		r.toScreen(planes)
		out.Planes = planes[:]
	}
	tones := tones()
	for _, p := range out.Planes {
		for i, v := range p {
			p[i] = toneOf(tones, v)
		}
	}
	r.mosaic.Development.Upright(out)
	return out
}

// toScreen replaces the colours of a sensor by linear ones of sRGB.
func (r *Raw) toScreen(planes [3][]float32) {
	for i := range planes[0] {
		red, green, blue := planes[0][i], planes[1][i], planes[2][i]
		for c, row := range r.colours {
			planes[c][i] = row[0]*red + row[1]*green + row[2]*blue
		}
	}
}

// means returns the means of red, green and blue above black, of some 400,000 samples, without those that are clipped.
// They are 1 if one of them is black.
func (r *Raw) means(img *imageio.Image) [3]float64 {
	var sum, count [3]float64
	a := r.mosaic.Active
	step := 1 + int(math.Sqrt(float64(a.Dx())*float64(a.Dy())/4e5))
	for y := 0; y+1 < a.Dy(); y += 2 * step {
		for x := 0; x+1 < a.Dx(); x += 2 * step {
			for k := range 4 {
				x, y := x+k%2, y+k/2
				v := float64(img.Planes[0][(y+a.Min.Y)*img.Width+x+a.Min.X]) * imageio.Depth16.Max()
				if c := r.mosaic.Colours[y%2][x%2]; v < r.mosaic.White-0.5 {
					sum[c] += v - r.mosaic.Black(x, y)
					count[c]++
				}
			}
		}
	}
	for c := range sum {
		if sum[c] /= count[c]; !(sum[c] > 1e-3*r.mosaic.Range()) {
			return [3]float64{1, 1, 1}
		}
	}
	return sum
}

// xyz gives the CIE XYZ of linear sRGB (IEC 61966-2-1).
var xyz = matrix3.Matrix{{0.4124, 0.3576, 0.1805}, {0.2126, 0.7152, 0.0722}, {0.0193, 0.1192, 0.9505}}

// fromSensor returns the matrix from the colours of a sensor, white being 1, to those of sRGB. Sensor gives those of
// the sensor for XYZ; where no colours can be found by it, they stay as they are.
func fromSensor(sensor matrix3.Matrix) matrix3.Matrix {
	var to matrix3.Matrix
	for i, row := range sensor {
		sum := 0.0
		for c := range 3 {
			for k, v := range row {
				to[i][c] += v * xyz[k][c]
			}
			sum += to[i][c]
		}
		for c := range 3 {
			to[i][c] /= sum
		}
	}
	back := to.Inverse()
	for _, row := range back {
		for _, v := range row {
			const most = 20
			if !(math.Abs(v) <= most) {
				return matrix3.Matrix{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
			}
		}
	}
	return back
}

// tones holds the curve of sRGB.
var tones = sync.OnceValue(func() *[1 << 16]float32 {
	var t [1 << 16]float32
	for i := range t {
		v := float64(i) / (1<<16 - 1)
		if v <= 0.0031308 {
			t[i] = float32(12.92 * v)
		} else {
			t[i] = float32(1.055*math.Pow(v, 1/2.4) - 0.055)
		}
	}
	return &t
})

// toneOf returns a linear value as it is shown. What is no number is black.
func toneOf(tones *[1 << 16]float32, v float32) float32 {
	if !(v > 0) {
		return 0
	}
	return tones[int(min(v, 1)*(1<<16-1)+0.5)]
}
