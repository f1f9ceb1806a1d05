package camera

import "math"

// jpegTables are the quantisation steps of luma and chroma at quality 50 (ITU-T T.81, annex K).
var jpegTables = [2][64]float64{
	{16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29, 51,
		87, 80, 62,
		18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103, 121, 120, 101, 72, 92,
		95, 98, 112, 100, 103, 99},
	{17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99, 24, 26, 56, 99, 99, 99, 99, 99, 47, 66, 99, 99, 99,
		99, 99, 99,
		99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
		99, 99, 99, 99},
}

// JPEGSteps returns the quantisation steps of luma and chroma, row by row, at a quality of 1 to 100, as libjpeg scales
// the tables.
func JPEGSteps(quality int) (luma, chroma [64]uint8) {
	scale := 200 - 2*quality
	if quality < 50 {
		scale = 5000 / quality
	}
	for table, steps := range []*[64]uint8{&luma, &chroma} {
		for i, v := range jpegTables[table] {
			steps[i] = uint8(min(max((v*float64(scale)+50)/100, 1), 255))
		}
	}
	return luma, chroma
}

// JPEG returns what a JPEG file of a quality gives back: 4:2:0 if half is set, else 4:4:4. Samples are rounded
// to 8 bits before and after. Entropy coding is left out, since it loses nothing.
func JPEG(p *Picture, quality int, half bool) *Picture {
	lumaSteps, chromaSteps := JPEGSteps(quality)
	if len(p.Planes) == 1 {
		q := NewPicture(p.Width, p.Height, 1)
		y := make([]float64, p.Width*p.Height)
		for i, v := range p.Planes[0] {
			y[i] = float64(ToByte(float64(v)))
		}
		for i, v := range quantiseBlocks(y, p.Width, p.Height, lumaSteps) {
			q.Planes[0][i] = float32(v) / 255
		}
		return q
	}
	w, h := p.Width, p.Height
	var ycc [3][]float64
	for c := range ycc {
		ycc[c] = make([]float64, w*h)
	}
	for i := range w * h {
		r, g, b := float64(ToByte(float64(p.Planes[0][i]))), float64(ToByte(float64(p.Planes[1][i]))),
			float64(ToByte(float64(p.Planes[2][i])))
		ycc[0][i] = math.Round(0.299*r + 0.587*g + 0.114*b)
		ycc[1][i] = math.Round(-0.168735892*r - 0.331264108*g + 0.5*b + 128)
		ycc[2][i] = math.Round(0.5*r - 0.418687589*g - 0.081312411*b + 128)
	}
	luma := quantiseBlocks(ycc[0], w, h, lumaSteps)
	var chroma [2][]uint8
	cw := w
	for c := range chroma {
		if !half {
			chroma[c] = quantiseBlocks(ycc[c+1], w, h, chromaSteps)
			continue
		}
		small, sw, sh := halveChroma(ycc[c+1], w, h)
		chroma[c] = upsample(quantiseBlocks(small, sw, sh, chromaSteps), sw, sw, sh)
		cw = 2 * sw
	}
	q := NewPicture(w, h, 3)
	for i := range w * h {
		at := i/w*cw + i%w
		q.Planes[0][i], q.Planes[1][i], q.Planes[2][i] = toRGB(float64(luma[i]), float64(chroma[0][at]),
			float64(chroma[1][at]))
	}
	return q.Quantise()
}

// toRGB returns the samples of a colour of JPEG, whose components are 0..255.
func toRGB(y, cb, cr float64) (r, g, b float32) {
	cb, cr = cb-128, cr-128
	return float32((y + 1.402*cr) / 255), float32((y - 0.344136286*cb - 0.714136286*cr) / 255),
		float32((y + 1.772*cb) / 255)
}

// halveChroma averages 2 x 2 samples. Those at an odd edge are repeated.
func halveChroma(v []float64, w, h int) (small []float64, sw, sh int) {
	sw, sh = (w+1)/2, (h+1)/2
	small = make([]float64, sw*sh)
	for y := range sh {
		for x := range sw {
			x1, y1 := min(2*x+1, w-1), min(2*y+1, h-1)
			sum := v[2*y*w+2*x] + v[2*y*w+x1] + v[y1*w+2*x] + v[y1*w+x1]
			small[y*sw+x] = math.Floor((sum + 1.5) / 4)
		}
	}
	return small, sw, sh
}

// upsample doubles a chroma plane with the triangle filter of libjpeg.
func upsample(in []uint8, stride, w, h int) []uint8 {
	out := make([]uint8, 4*w*h)
	sums := make([]int, w)
	for y := range 2 * h {
		near, far := y/2, y/2-1+y%2*2
		far = min(max(far, 0), h-1)
		for x := range w {
			sums[x] = 3*int(in[near*stride+x]) + int(in[far*stride+x])
		}
		row := out[y*2*w:][:2*w]
		for x, s := range sums {
			row[2*x] = uint8((3*s + sums[max(x-1, 0)] + 8) >> 4)
			row[2*x+1] = uint8((3*s + sums[min(x+1, w-1)] + 7) >> 4)
		}
	}
	return out
}

// cosines is the orthonormal 8-point DCT, by frequency.
var cosines = func() (c [8][8]float64) {
	for k := range c {
		for i := range c[k] {
			c[k][i] = math.Cos(math.Pi*(float64(i)+0.5)*float64(k)/8) / 2
			if k == 0 {
				c[k][i] = math.Sqrt(1.0 / 8)
			}
		}
	}
	return c
}()

// quantiseBlocks rounds the DCT coefficients of 8 x 8 blocks of a plane of 0..255 to multiples of the steps.
func quantiseBlocks(v []float64, w, h int, steps [64]uint8) []uint8 {
	out := make([]uint8, w*h)
	for y := 0; y < h; y += 8 {
		for x := 0; x < w; x += 8 {
			var a [64]float64
			for i := range a {
				a[i] = v[min(y+i/8, h-1)*w+min(x+i%8, w-1)] - 128
			}
			a = dct2(a, false)
			for i, s := range steps {
				a[i] = math.Round(a[i]/float64(s)) * float64(s)
			}
			a = dct2(a, true)
			for i, s := range a {
				if y+i/8 < h && x+i%8 < w {
					out[(y+i/8)*w+x+i%8] = uint8(min(max(s+128, 0), 255) + 0.5)
				}
			}
		}
	}
	return out
}

// dct2 transforms a block, or takes it back.
func dct2(a [64]float64, inverse bool) [64]float64 {
	basis := &cosines
	if inverse {
		basis = &transposedCosines
	}
	var across, out [64]float64
	for y := range 8 {
		row := (*[8]float64)(a[8*y:])
		for k := range 8 {
			b, sum := &basis[k], 0.0
			for i := range 8 {
				sum += b[i] * row[i]
			}
			across[k*8+y] = sum
		}
	}
	for x := range 8 {
		column := (*[8]float64)(across[8*x:])
		for k := range 8 {
			b, sum := &basis[k], 0.0
			for i := range 8 {
				sum += b[i] * column[i]
			}
			out[k*8+x] = sum
		}
	}
	return out
}

var transposedCosines = func() (c [8][8]float64) {
	for k := range c {
		for i := range c[k] {
			c[k][i] = cosines[i][k]
		}
	}
	return c
}()
