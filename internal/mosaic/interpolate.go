package mosaic

import "image"

// Reach is how far the samples are that decide the colours of one.
const Reach = 4

// green is the colour of half of the samples.
const green = 1

// Interpolated returns the red, green and blue of an area, row by row.
//
// First it finds green where there is red or blue, along rows and along columns (as Hamilton and Adams, US patent
// 5,629,734), and takes a mean of both by how little changes along them around. A choice of one would make a maze of
// noise. Then it finds red and blue by their means around, as differences from green.
func (m Mosaic) Interpolated(area image.Rectangle) (planes [3][]float32) {
	f := field{width: area.Dx() + 2*Reach, height: area.Dy() + 2*Reach, raw: m.withEdges(area.Inset(-Reach)),
		colours: m.from(area.Min.X-Reach, area.Min.Y-Reach)}
	f.findGreen()
	for c := range planes {
		planes[c] = make([]float32, area.Dx()*area.Dy())
	}
	w, over := f.width, f.over
	for to := range planes[green] {
		x, y := Reach+to%area.Dx(), Reach+to/area.Dx()
		i, pair := y*w+x, f.colours[y%side]
		g, c, beside := f.raw[i]-over[i], pair[x%side], pair[1-x%side]
		if planes[green][to] = g; c == green {
			planes[beside][to] = g + (over[i-1]+over[i+1])/2
			planes[2-beside][to] = g + (over[i-w]+over[i+w])/2
			continue
		}
		planes[c][to] = f.raw[i]
		planes[2-c][to] = g + (over[i-w-1]+over[i-w+1]+over[i+w-1]+over[i+w+1])/4
	}
	return planes
}

// field is samples at work: those of an area with what is around it.
type field struct {
	width, height int
	colours       [side][side]int
	raw           []float32
	over          []float32 // how far a sample is above green
}

// withEdges copies an area, which may reach beyond the edges.
func (m Mosaic) withEdges(area image.Rectangle) []float32 {
	samples := make([]float32, 0, area.Dx()*area.Dy())
	for y := area.Min.Y; y < area.Max.Y; y++ {
		row := m.Pix[mirrored(y, m.Height)*m.Width:][:m.Width]
		for x := area.Min.X; x < area.Max.X; x++ {
			samples = append(samples, row[mirrored(x, m.Width)])
		}
	}
	return samples
}

// from returns the colours of the samples from a place on, which may be beyond an edge.
func (m Mosaic) from(x, y int) (c [side][side]int) {
	for dy := range c {
		for dx := range c {
			c[dy][dx] = m.Colours[(y+dy)&1][(x+dx)&1]
		}
	}
	return c
}

// findGreen finds how far samples are above green, but for a margin of three samples.
func (f *field) findGreen() {
	w := f.width
	rows, columns := f.changes(1), f.changes(w)
	f.over = make([]float32, len(f.raw))
	for y := 3; y < f.height-3; y++ {
		for x := 3; x < w-3; x++ {
			if f.colours[y%side][x%side] == green {
				continue
			}
			i := y*w + x
			across := rows[i-w] + rows[i] + rows[i+w]
			down := columns[i-w] + columns[i] + columns[i+w]
			across, down = across*across, down*down
			f.over[i] = f.raw[i] - (down*f.between(i, 1)+across*f.between(i, w))/(across+down)
		}
	}
}

// between returns green at a sample of another colour from those in a direction: their mean, plus what the sample is
// above the mean of those of its own colour.
func (f *field) between(i, step int) float32 {
	r := f.raw
	return (r[i-step]+r[i+step])/2 + (2*r[i]-r[i-2*step]-r[i+2*step])/4
}

// changes returns how much samples change in a direction, for each and its neighbours in the row, but for a margin of
// three samples. It is never 0.
func (f *field) changes(step int) []float32 {
	one, r := make([]float32, len(f.raw)), f.raw
	for i := 2 * f.width; i < len(r)-2*f.width; i++ {
		one[i] = abs(r[i-step]-r[i+step]) + abs(2*r[i]-r[i-2*step]-r[i+2*step])
	}
	three := make([]float32, len(r))
	for i := 1; i < len(r)-1; i++ {
		three[i] = one[i-1] + one[i] + one[i+1] + 1e-6
	}
	return three
}

func abs(v float32) float32 { return max(v, -v) }
