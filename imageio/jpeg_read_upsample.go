package imageio

// jpegComponent is one component of a picture with its samples.
type jpegComponent struct {
	h, v           int // sampling factors
	right, down    int // times that the picture is larger than the component
	width, height  int // samples that belong to the picture
	across, blocks int // blocks in a row and in all, with padding
	stride         int
	table          byte        // number of the quantisation table
	steps          *[64]int32  // quantisation steps in row-major order, from the first scan of the component
	samples        []byte      // stride times the padded height
	coefficients   []jpegBlock // of a progressive file
	ahead          []jpegBlock // of the row that is being read, if its samples are computed elsewhere
	coding         scanCoding  // in the current scan
	bits           *[64]int8   // of a progressive file: the lowest bit of each coefficient that a scan has given, or -1
	scanned        bool
}

// row returns n samples of the component, enlarged to the size of the picture, in row y of the picture. It may use buf,
// which has room for n samples and 4 more.
//
// Factors of 2 are interpolated as libjpeg does it: with a triangle filter, whose weights are 3/4 for the nearer and
// 1/4 for the farther sample, and with rounding that is biased up and down alternately. The first and last samples are
// repeated past the edges. Other factors, and components that are narrower than 3 samples, repeat samples.
func (c *jpegComponent) row(y, n int, buf []byte) []byte {
	switch {
	case c.right == 1 && c.down == 1:
		return c.line(y)[:n]
	case c.right == 2 && c.down == 1 && c.width > 2:
		enlargeRight(buf, c.line(y))
	case c.right == 1 && c.down == 2:
		near, far, bias := c.lines(y)
		for x := range near {
			buf[x] = byte((3*uint(near[x]) + uint(far[x]) + bias) >> 2)
		}
	case c.right == 2 && c.down == 2 && c.width > 2:
		near, far, _ := c.lines(y)
		enlargeBoth(buf, near, far)
	default:
		line := c.line(y / c.down)
		for x := range n {
			buf[x] = line[x/c.right]
		}
	}
	return buf[:n]
}

// line returns row y of the component.
func (c *jpegComponent) line(y int) []byte { return c.samples[y*c.stride:][:c.width] }

// lines returns the rows of the component that are nearest and second nearest to row y of a picture of twice the
// height, and the bias of their rounding.
func (c *jpegComponent) lines(y int) (near, far []byte, bias uint) {
	other, bias := y/2-1, uint(1)
	if y&1 == 1 {
		other, bias = y/2+1, 2
	}
	return c.line(y / 2), c.line(min(max(other, 0), c.height-1)), bias
}

// enlargeRight stores 2*len(src) samples in dst. There are at least 2 samples in src.
func enlargeRight(dst, src []byte) {
	last := len(src) - 1
	dst = dst[:2*len(src)]
	dst[0], dst[1] = src[0], byte((3*uint(src[0])+uint(src[1])+2)>>2)
	for x := 1; x < last; x++ {
		v := 3 * uint(src[x])
		dst[2*x], dst[2*x+1] = byte((v+uint(src[x-1])+1)>>2), byte((v+uint(src[x+1])+2)>>2)
	}
	dst[2*last], dst[2*last+1] = byte((3*uint(src[last])+uint(src[last-1])+1)>>2), src[last]
}

// enlargeBoth stores 2*len(near) samples in dst. Sums down the columns come first, in quarters, and are not rounded.
func enlargeBoth(dst, near, far []byte) {
	last := len(near) - 1
	dst, far = dst[:2*len(near)], far[:len(near)]
	before := uint(0)
	sum := 3*uint(near[0]) + uint(far[0])
	for x := range near {
		after := sum
		if x < last {
			after = 3*uint(near[x+1]) + uint(far[x+1])
		}
		if x == 0 {
			before = sum
		}
		dst[2*x], dst[2*x+1] = byte((3*sum+before+8)>>4), byte((3*sum+after+7)>>4)
		before, sum = sum, after
	}
}
