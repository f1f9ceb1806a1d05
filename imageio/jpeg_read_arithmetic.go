package imageio

// arithmeticState is a state of the estimate of a probability (T.81, table D.3).
type arithmeticState struct {
	size uint16 // of the interval of the less probable symbol
	less uint8  // next state after that symbol, with the top bit set if the symbols change places
	more uint8  // next state after the other one
}

// arithmeticStates are the states. The last one, which is none of the table, is for symbols of equal probability.
var arithmeticStates = func() (t [114]arithmeticState) {
	const change = 0x80
	rows := [...][3]uint16{
		{0x5a1d, 1 | change, 1}, {0x2586, 14, 2}, {0x1114, 16, 3}, {0x080b, 18, 4}, {0x03d8, 20, 5}, {0x01da, 23, 6},
		{0x00e5, 25, 7}, {0x006f, 28, 8}, {0x0036, 30, 9}, {0x001a, 33, 10}, {0x000d, 35, 11}, {0x0006, 9, 12},
		{0x0003, 10, 13}, {0x0001, 12, 13}, {0x5a7f, 15 | change, 15}, {0x3f25, 36, 16}, {0x2cf2, 38, 17},
		{0x207c, 39, 18}, {0x17b9, 40, 19}, {0x1182, 42, 20}, {0x0cef, 43, 21}, {0x09a1, 45, 22}, {0x072f, 46, 23},
		{0x055c, 48, 24}, {0x0406, 49, 25}, {0x0303, 51, 26}, {0x0240, 52, 27}, {0x01b1, 54, 28}, {0x0144, 56, 29},
		{0x00f5, 57, 30}, {0x00b7, 59, 31}, {0x008a, 60, 32}, {0x0068, 62, 33}, {0x004e, 63, 34}, {0x003b, 32, 35},
		{0x002c, 33, 9}, {0x5ae1, 37 | change, 37}, {0x484c, 64, 38}, {0x3a0d, 65, 39}, {0x2ef1, 67, 40},
		{0x261f, 68, 41}, {0x1f33, 69, 42}, {0x19a8, 70, 43}, {0x1518, 72, 44}, {0x1177, 73, 45}, {0x0e74, 74, 46},
		{0x0bfb, 75, 47}, {0x09f8, 77, 48}, {0x0861, 78, 49}, {0x0706, 79, 50}, {0x05cd, 48, 51}, {0x04de, 50, 52},
		{0x040f, 50, 53}, {0x0363, 51, 54}, {0x02d4, 52, 55}, {0x025c, 53, 56}, {0x01f8, 54, 57}, {0x01a4, 55, 58},
		{0x0160, 56, 59}, {0x0125, 57, 60}, {0x00f6, 58, 61}, {0x00cb, 59, 62}, {0x00ab, 61, 63}, {0x008f, 61, 32},
		{0x5b12, 65 | change, 65}, {0x4d04, 80, 66}, {0x412c, 81, 67}, {0x37d8, 82, 68}, {0x2fe8, 83, 69},
		{0x293c, 84, 70}, {0x2379, 86, 71}, {0x1edf, 87, 72}, {0x1aa9, 87, 73}, {0x174e, 72, 74}, {0x1424, 72, 75},
		{0x119c, 74, 76}, {0x0f6b, 74, 77}, {0x0d51, 75, 78}, {0x0bb6, 77, 79}, {0x0a40, 77, 48},
		{0x5832, 80 | change, 81}, {0x4d1c, 88, 82}, {0x438e, 89, 83}, {0x3bdd, 90, 84}, {0x34ee, 91, 85},
		{0x2eae, 92, 86}, {0x299a, 93, 87}, {0x2516, 86, 71}, {0x5570, 88 | change, 89}, {0x4ca9, 95, 90},
		{0x44d9, 96, 91}, {0x3e22, 97, 92}, {0x3824, 99, 93}, {0x32b4, 99, 94}, {0x2e17, 93, 86},
		{0x56a8, 95 | change, 96}, {0x4f46, 101, 97}, {0x47e5, 102, 98}, {0x41cf, 103, 99}, {0x3c3d, 104, 100},
		{0x375e, 99, 93}, {0x5231, 105, 102}, {0x4c0f, 106, 103}, {0x4639, 107, 104}, {0x415e, 103, 99},
		{0x5627, 105 | change, 106}, {0x50e7, 108, 107}, {0x4b85, 109, 103}, {0x5597, 110, 109}, {0x504f, 111, 107},
		{0x5a10, 110 | change, 111}, {0x5522, 112, 109}, {0x59eb, 112 | change, 111}, {0x5a1d, 113, 113},
	}
	for i, r := range rows {
		t[i] = arithmeticState{size: r[0], less: uint8(r[1]), more: uint8(r[2])}
	}
	return t
}()

// arithmeticFixed is the state for symbols of equal probability.
const arithmeticFixed = 113

// arithmeticTables are the conditions of the statistics (T.81, section F.1.4.4): for DC the bounds of small and large
// differences, for AC the last coefficient that counts as low.
type arithmeticTables struct {
	small, large, low [16]uint8
}

// standardConditions apply to a file that gives none.
func standardConditions() (t arithmeticTables) {
	for i := range t.large {
		t.large[i], t.low[i] = 1, 5
	}
	return t
}

// read reads a DAC segment (T.81, section B.2.4.3).
func (t *arithmeticTables) read(p []byte) error {
	if len(p)%2 != 0 {
		return damagedf(JPEG, "bad arithmetic table")
	}
	for ; len(p) > 0; p = p[2:] {
		at, v := p[0], p[1]
		switch {
		case at < 16 && v&15 <= v>>4:
			t.small[at], t.large[at] = v&15, v>>4
		case at >= 16 && at < 32:
			t.low[at-16] = v
		default:
			return damagedf(JPEG, "bad arithmetic table")
		}
	}
	return nil
}

// arithmeticReader decodes the bits of a scan (T.81, section D.2).
type arithmeticReader struct {
	scanBytes
	tab   *arithmeticTables
	code  uint32
	width uint32
	count int // bits to be read before the next byte, or arithmeticBad
	fixed uint8
	dc    [16][64]uint8
	ac    [16][256]uint8
}

// arithmeticBad is the count after a code that cannot be. The blocks up to the next restart are left as they are.
const arithmeticBad = -1

// reset begins a scan, or goes on after a restart marker.
func (r *arithmeticReader) reset() {
	r.code, r.width, r.count, r.fixed = 0, 0, -16, arithmeticFixed
	r.dc, r.ac = [16][64]uint8{}, [16][256]uint8{}
}

// bit decodes a symbol with the statistics at s.
func (r *arithmeticReader) bit(s *uint8) bool {
	for r.width < 0x8000 {
		if r.count--; r.count < 0 {
			b, _ := r.next() // zeros from a marker on
			r.code = r.code<<8 | uint32(b)
			if r.count += 8; r.count < 0 { // one of the first two bytes
				if r.count++; r.count == 0 {
					r.width = 0x8000
				}
			}
		}
		r.width <<= 1
	}
	v := *s
	state := &arithmeticStates[v&0x7f]
	size := uint32(state.size)
	r.width -= size
	switch split := r.width << r.count; {
	case r.code >= split:
		r.code -= split
		if r.width < size {
			*s = v&0x80 ^ state.more
		} else {
			*s = v&0x80 ^ state.less
			v ^= 0x80
		}
		r.width = size
	case r.width < 0x8000 && r.width < size:
		*s = v&0x80 ^ state.less
		v ^= 0x80
	case r.width < 0x8000:
		*s = v&0x80 ^ state.more
	}
	return v>>7 != 0
}

func (r *arithmeticReader) equal() bool { return r.bit(&r.fixed) }

// bad notes a code that cannot be.
func (r *arithmeticReader) bad() { r.count = arithmeticBad }

// magnitude decodes the rest of a number (T.81, figures F.23 and F.24). m is its highest bit so far and at the place of
// the statistics for the next one. It returns the number less 1 and its highest bit.
func (r *arithmeticReader) magnitude(stats []uint8, at, m int) (v, top int, ok bool) {
	for r.bit(&stats[at]) {
		if m <<= 1; m == 0x8000 {
			r.bad()
			return 0, 0, false
		}
		at++
	}
	return r.rest(stats, at, m), m, true
}

// rest decodes the bits below the highest one.
func (r *arithmeticReader) rest(stats []uint8, at, m int) int {
	v := m
	for at += 14; m > 1; {
		if m >>= 1; r.bit(&stats[at]) {
			v |= m
		}
	}
	return v
}

// difference decodes the DC coefficient of a block.
func (r *arithmeticReader) difference(s *scanCoding) {
	stats, at := r.dc[s.dcTable][:], int(s.context)
	if !r.bit(&stats[at]) {
		s.context = 0
		return
	}
	sign := 0
	if r.bit(&stats[at+1]) {
		sign = 1
	}
	at += 2 + sign
	v, m, ok := 0, 0, true
	if r.bit(&stats[at]) {
		if v, m, ok = r.magnitude(stats, 20, 1); !ok {
			return
		}
	}
	switch {
	case m < 1<<r.tab.small[s.dcTable]>>1:
		s.context = 0
	case m > 1<<r.tab.large[s.dcTable]>>1:
		s.context = uint8(12 + 4*sign)
	default:
		s.context = uint8(4 + 4*sign)
	}
	v++
	if sign == 1 {
		v = -v
	}
	s.last += int32(v)
}

// coefficients decodes AC coefficients from..to of a block.
func (r *arithmeticReader) coefficients(s *scanCoding, b *jpegBlock, from, to int) {
	stats := r.ac[s.acTable][:]
	for k := from; k <= to; k++ {
		at := 3 * (k - 1)
		if r.bit(&stats[at]) { // the rest are zero
			return
		}
		for !r.bit(&stats[at+1]) {
			at += 3
			if k++; k > to {
				r.bad()
				return
			}
		}
		negative := r.equal()
		at += 2
		v, ok := 0, true
		if r.bit(&stats[at]) {
			if r.bit(&stats[at]) {
				high := 217
				if k <= int(r.tab.low[s.acTable]) {
					high = 189
				}
				if v, _, ok = r.magnitude(stats, high, 2); !ok {
					return
				}
			} else {
				v = 1
			}
		}
		v++
		if negative {
			v = -v
		}
		b[zigzag[k]] = int16(v << s.low)
	}
}

// refine decodes one more bit of a range of AC coefficients (T.81, section G.1.3.3).
func (r *arithmeticReader) refine(s *scanCoding, b *jpegBlock) {
	stats, one := r.ac[s.acTable][:], int16(1)<<s.low
	last := s.to // the last that is not zero so far
	for last > 0 && b[zigzag[last]] == 0 {
		last--
	}
	for k := s.from; k <= s.to; k++ {
		at := 3 * (k - 1)
		if k > last && r.bit(&stats[at]) {
			return
		}
		for {
			c := &b[zigzag[k]]
			if *c != 0 {
				if r.bit(&stats[at+2]) {
					*c = farther(*c, one)
				}
				break
			}
			if r.bit(&stats[at+1]) {
				if *c = one; r.equal() {
					*c = -one
				}
				break
			}
			at += 3
			if k++; k > s.to {
				r.bad()
				return
			}
		}
	}
}

// farther returns a coefficient that is farther from zero by one.
func farther(c, one int16) int16 {
	if c < 0 {
		return c - one
	}
	return c + one
}

// block decodes what the scan says about a block.
func (r *arithmeticReader) block(s *scanCoding, b *jpegBlock, progressive, refine bool) {
	switch {
	case r.count == arithmeticBad:
	case !progressive:
		r.difference(s)
		if r.count == arithmeticBad {
			return
		}
		b[0] = int16(s.last)
		r.coefficients(s, b, 1, 63)
	case s.from == 0 && refine:
		if r.equal() {
			b[0] |= 1 << s.low
		}
	case s.from == 0:
		r.difference(s)
		if r.count != arithmeticBad {
			b[0] = int16(s.last << s.low)
		}
	case refine:
		r.refine(s, b)
	default:
		r.coefficients(s, b, s.from, s.to)
	}
}
