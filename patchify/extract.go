package patchify

// ExtractLane copies a patch into one column, or lane, of dst, a row-major matrix of size*size rows and lanes columns.
func ExtractLane(dst []float32, lanes, lane int, p Plane, x, y, size int) {
	at := lane
	for r := range size {
		for _, v := range p.Pix[(y+r)*p.Width+x:][:size] {
			dst[at] = v
			at += lanes
		}
	}
}

// ExtractRun copies the patches of a run (see Grid.Runs) into neighbouring columns, starting with the given lane.
func ExtractRun(dst []float32, lanes, lane int, p Plane, xs []int, y, size int) {
	last := len(xs) - 1
	step := xs[min(1, last)] - xs[0]
	regular := xs[last]-xs[0] == last*step
	for r := range size {
		pixels := p.Row(y + r)
		for c := range size {
			at := (r*size+c)*lanes + lane
			out, src := dst[at:at+len(xs)], pixels[c:]
			if regular && step <= c { // samples that column c-step has for the next patches, and one more
				copy(out, dst[at-step*lanes:][1:len(xs)])
				out[last] = src[xs[last]]
				continue
			}
			for i, x := range xs {
				out[i] = src[x]
			}
		}
	}
}
