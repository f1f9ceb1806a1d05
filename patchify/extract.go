package patchify

// Extract copies the patch whose top-left corner is (x, y) into dst, row-major, size*size samples.
func Extract(dst []float32, p Plane, x, y, size int) {
	for r := range size {
		copy(dst[r*size:(r+1)*size], p.Pix[(y+r)*p.Width+x:])
	}
}

// ExtractLane copies a patch into one column of a matrix of size*size rows and the given number of lanes.
func ExtractLane(dst []float32, lanes, lane int, p Plane, x, y, size int) {
	at := lane
	for r := range size {
		for _, v := range p.Pix[(y+r)*p.Width+x:][:size] {
			dst[at] = v
			at += lanes
		}
	}
}
