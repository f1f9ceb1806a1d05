package imageio

// jpegBlock holds the coefficients of a block in row-major order.
type jpegBlock [64]int16

// zigzagPast is zigzag with room for a run of zeros past the last coefficient, so that damaged data needs no check.
var zigzagPast = func() (z [80]uint8) {
	for i := range z {
		z[i] = uint8(zigzag[min(i, 63)])
	}
	return z
}()

// scanCoding is the coding of one component in a scan, with the state of its decoder.
type scanCoding struct {
	dc, ac   *huffmanDecoder
	from, to int   // range of coefficients in the order of the file, for progressive scans
	low      uint  // position of the lowest bit that the scan codes
	last     int32 // DC coefficient of the block before
	zeros    int32 // blocks that are still to be left out (EOBRUN)

	// Of arithmetic coding.
	dcTable, acTable uint8
	context          uint8 // of the DC difference: the place of its statistics
}

// sequential decodes all coefficients of a block (T.81, section F.2.2). The block is zero before.
func (s *scanCoding) sequential(r *bitReader, b *jpegBlock) {
	size := uint(r.symbol(s.dc))
	if size > 15 {
		r.failed = true
		return
	}
	s.last += r.number(size)
	b[0] = int16(s.last)
	bits, count := r.bits, r.count // as variables, they stay in registers
	for k := 1; k < 64; k++ {
		if count < 32 {
			r.bits, r.count = bits, count
			r.fill()
			bits, count = r.bits, r.count
		}
		e := s.ac.look[bits>>((count-huffmanLook)&63)&(1<<huffmanLook-1)]
		count -= uint(e >> 8)
		v := byte(e)
		if e == 0 { // a long code
			r.bits, r.count = bits, count
			v = r.symbol(s.ac)
			bits, count = r.bits, r.count
		}
		run, size := int(v>>4), uint(v&15)
		if size == 0 {
			if run < 15 {
				break
			}
			k += 15
			continue
		}
		k += run
		count -= size
		b[zigzagPast[k]] = int16(extended(int32(bits>>(count&63))&(1<<size-1), size))
	}
	r.bits, r.count = bits, count
}

// progressive decodes what a scan of a progressive file says about a block (T.81, section G.1.2).
func (s *scanCoding) progressive(r *bitReader, b *jpegBlock, refine bool) {
	switch {
	case s.from == 0 && refine:
		b[0] |= int16(r.bit() << s.low)
	case s.from == 0:
		size := uint(r.symbol(s.dc))
		if size > 15 {
			r.failed = true
			return
		}
		s.last += r.number(size)
		b[0] = int16(s.last << s.low)
	case refine:
		s.refine(r, b)
	default:
		s.firstAC(r, b)
	}
}

// firstAC decodes the first bits of a range of AC coefficients.
func (s *scanCoding) firstAC(r *bitReader, b *jpegBlock) {
	if s.zeros > 0 {
		s.zeros--
		return
	}
	for k := s.from; k <= s.to; k++ {
		v := r.symbol(s.ac)
		run, size := int(v>>4), uint(v&15)
		if size == 0 {
			if run < 15 {
				s.zeros = 1<<run + r.take(uint(run)) - 1
				return
			}
			k += 15
			continue
		}
		k += run
		b[zigzagPast[k]] = int16(r.number(size) << s.low)
	}
}

// refine decodes one more bit of a range of AC coefficients. Coefficients that are zero so far may become plus or minus
// one of that bit. All others get a correction bit.
func (s *scanCoding) refine(r *bitReader, b *jpegBlock) {
	k, one := s.from, int16(1)<<s.low
	if s.zeros == 0 {
		for ; k <= s.to; k++ {
			v := r.symbol(s.ac)
			run, value := int(v>>4), int16(0)
			switch {
			case v&15 != 0:
				if value = -one; r.bit() == 1 {
					value = one
				}
			case run < 15:
				s.zeros = 1<<run + r.take(uint(run))
			}
			if s.zeros > 0 {
				break
			}
			k = s.correct(r, b, k, run)
			if value != 0 { // past the range in damaged data only, where libjpeg does the same
				b[zigzagPast[k]] = value
			}
			if r.failed {
				return
			}
		}
	}
	if s.zeros > 0 {
		s.correct(r, b, k, 64)
		s.zeros--
	}
}

// correct reads the correction bits of coefficients from k on that are not zero. It stops at the zero that follows run
// other zeros, or past the range, and returns that place.
func (s *scanCoding) correct(r *bitReader, b *jpegBlock, k, run int) int {
	one := int16(1) << s.low
	for ; k <= s.to; k++ {
		c := &b[zigzagPast[k]]
		if *c == 0 {
			if run == 0 {
				break
			}
			run--
			continue
		}
		if r.bit() == 1 && *c&one == 0 {
			if *c > 0 {
				*c += one
			} else {
				*c -= one
			}
		}
	}
	return k
}
