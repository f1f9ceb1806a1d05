package camera

import "math"

// Blur filters with a Gaussian of standard deviation radius, in samples. Edges are repeated.
func Blur(p *Picture, radius float64) *Picture {
	q := NewPicture(p.Width, p.Height, len(p.Planes))
	for i, plane := range p.Planes {
		q.Planes[i] = blurPlane(plane, p.Width, p.Height, radius)
	}
	return q
}

func blurPlane(v []float32, w, h int, radius float64) []float32 {
	reach := int(math.Ceil(3 * radius))
	kernel := make([]float64, 2*reach+1)
	sum := 0.0
	for i := range kernel {
		kernel[i] = math.Exp(-0.5 * math.Pow(float64(i-reach)/radius, 2))
		sum += kernel[i]
	}
	across, out := make([]float32, w*h), make([]float32, w*h)
	for y := range h {
		for x := range w {
			s := 0.0
			for i, k := range kernel {
				s += k * float64(v[y*w+min(max(x+i-reach, 0), w-1)])
			}
			across[y*w+x] = float32(s / sum)
		}
	}
	for y := range h {
		for x := range w {
			s := 0.0
			for i, k := range kernel {
				s += k * float64(across[min(max(y+i-reach, 0), h-1)*w+x])
			}
			out[y*w+x] = float32(s / sum)
		}
	}
	return out
}

// Sharpen is an unsharp mask.
func Sharpen(p *Picture, radius, amount float64) *Picture {
	q := Blur(p, radius)
	for i, plane := range q.Planes {
		for j, v := range plane {
			plane[j] = p.Planes[i][j] + float32(amount)*(p.Planes[i][j]-v)
		}
	}
	return q
}

// blurChroma filters the differences of the colours and leaves the luma as it is.
func blurChroma(p *Picture, radius float64) *Picture {
	if len(p.Planes) == 1 {
		return p
	}
	y, b := p.Gray().Planes[0], Blur(p, radius)
	by := b.Gray().Planes[0]
	for _, plane := range b.Planes {
		for i := range plane {
			plane[i] += y[i] - by[i]
		}
	}
	return b
}

// smooth averages a sample with those of its 5 x 5 neighbours that differ by little (the sigma filter of J.-S. Lee,
// 1983): limit is about three standard deviations of the noise.
func smooth(p *Picture, limit, amount float64) *Picture {
	q := p.Clone()
	for c, plane := range p.Planes {
		for y := range p.Height {
			for x := range p.Width {
				v := float64(plane[y*p.Width+x])
				q.Planes[c][y*p.Width+x] = float32(v + amount*(meanOfSimilar(plane, p.Width, p.Height, x, y, limit)-v))
			}
		}
	}
	return q
}

// meanOfSimilar is the mean of a sample and its neighbours. They have the less weight the more they differ, and none
// from limit on.
func meanOfSimilar(plane []float32, width, height, x, y int, limit float64) float64 {
	v := float64(plane[y*width+x])
	sum, weight := 0.0, 0.0
	for j := max(y-2, 0); j <= min(y+2, height-1); j++ {
		for i := max(x-2, 0); i <= min(x+2, width-1); i++ {
			n := float64(plane[j*width+i])
			d := (n - v) / limit
			k := max(0, 1-d*d)
			sum, weight = sum+k*n, weight+k
		}
	}
	return sum / weight
}

// Resize changes the size by a factor. The kernel is a triangle if soft is set, else a cubic of Catmull and Rom; it is
// stretched for factors below 1.
func Resize(p *Picture, factor float64, soft bool) *Picture {
	w, h := max(1, int(float64(p.Width)*factor)), max(1, int(float64(p.Height)*factor))
	q := NewPicture(w, h, len(p.Planes))
	xs, ys := taps(p.Width, w, factor, soft), taps(p.Height, h, factor, soft)
	for c, plane := range p.Planes {
		across := make([]float32, w*p.Height)
		for y := range p.Height {
			for x, t := range xs {
				across[y*w+x] = t.sum(plane[y*p.Width:], 1)
			}
		}
		for y, t := range ys {
			for x := range w {
				q.Planes[c][y*w+x] = t.sum(across[x:], w)
			}
		}
	}
	return q
}

// tap is how one sample of the output follows from those of the input.
type tap struct {
	at      []int
	weights []float64
}

func (t tap) sum(v []float32, stride int) float32 {
	s := 0.0
	for i, k := range t.weights {
		s += k * float64(v[t.at[i]*stride])
	}
	return float32(s)
}

func taps(in, out int, factor float64, soft bool) []tap {
	all := make([]tap, out)
	stretch := max(1, 1/factor)
	for i := range all {
		centre := (float64(i)+0.5)/factor - 0.5
		sum := 0.0
		for j := int(math.Floor(centre - 2*stretch)); j <= int(math.Ceil(centre+2*stretch)); j++ {
			if k := kernel((float64(j)-centre)/stretch, soft); k != 0 {
				all[i].at = append(all[i].at, min(max(j, 0), in-1))
				all[i].weights = append(all[i].weights, k)
				sum += k
			}
		}
		for j := range all[i].weights {
			all[i].weights[j] /= sum
		}
	}
	return all
}

func kernel(x float64, soft bool) float64 {
	x = math.Abs(x)
	switch {
	case soft:
		return max(0, 1-x)
	case x < 1:
		return 1 + x*x*(1.5*x-2.5)
	case x < 2:
		return 2 - x*(4-x*(2.5-0.5*x))
	}
	return 0
}
