package scan

// Nearest sets list to the reference, which is the first of the corners, and those of the others that are most similar to
// it, like Block.List. Corners may repeat the reference where there are too few others.
func Nearest(list, corners []int32, p Plane, size int) {
	var memory [64]float32
	distances := memory[:min(len(list), len(memory))]
	if len(list) > len(memory) {
		distances = make([]float32, len(list))
	}
	reference := corners[0]
	for k := range list {
		list[k], distances[k] = reference, farthest
	}
	distances[0] = -1
	between := distance
	if size == assemblySize {
		between = distance8
	}
	a := p.Pix[reference:]
	for _, c := range corners[1:] {
		if c == reference {
			continue
		}
		if d := between(a, p.Pix[c:], distances[len(distances)-1], size, p.Width); d < farthest {
			put(distances, list, d, c)
		}
	}
}

// distance8 is distance for patches of 8 x 8 samples.
func distance8(a, b []float32, bound float32, _, pitch int) float32 {
	var sum [2]float32
	for side := range sum {
		c := 4 * side
		s := column8(a[c:], b[c:], pitch) + column8(a[c+1:], b[c+1:], pitch)
		if sum[side] = s + (column8(a[c+2:], b[c+2:], pitch) + column8(a[c+3:], b[c+3:], pitch)); sum[side] > bound {
			return sum[side]
		}
	}
	return sum[0] + sum[1]
}

func column8(a, b []float32, pitch int) float32 {
	a, b = a[:7*pitch+1], b[:7*pitch+1]
	square := func(r int) float32 {
		d := a[r*pitch] - b[r*pitch]
		return float32(d * d)
	}
	return ((square(0) + square(1)) + (square(2) + square(3))) + ((square(4) + square(5)) + (square(6) + square(7)))
}
