package imageio

import "bytes"

// restart goes on after restart marker number, which resets the state of the decoder.
func (s *jpegScan) restart(number byte) error {
	if !s.keep && s.arithmetic == nil && s.overrun() {
		return s.end()
	}
	marker, err := s.findMarker()
	if err != nil {
		return err
	}
	if marker != markerRST0+number {
		if !s.keep {
			return damagedf(JPEG, "bad restart marker")
		}
		s.damage("bad restart marker")
		if marker, err = s.resume(marker, number); err != nil {
			return err
		}
	}
	if marker != 0 {
		s.setPosition(s.position() + 2)
		s.stopped = false
	}
	s.bits, s.count, s.zeros = 0, 0, 0
	if s.arithmetic != nil {
		s.arithmetic.reset()
	}
	for _, c := range s.list {
		c.coding.last, c.coding.zeros, c.coding.context = 0, 0, 0
	}
	return nil
}

// findMarker moves to the next marker and returns it. In a file whose end is missing and to be kept, that is the end of
// the picture.
func (s *jpegScan) findMarker() (byte, error) {
	start := s.position()
	for at := start; ; {
		i := bytes.IndexByte(s.data[at:], 0xff)
		if i < 0 || at+i+1 >= len(s.data) {
			s.setPosition(len(s.data))
			if s.keep {
				return markerEOI, nil
			}
			return 0, truncated(JPEG)
		}
		at += i + 1
		if marker := s.data[at]; marker != 0 && marker != 0xff {
			if n := len(bytes.TrimRight(s.data[start:at], "\xff")) + s.unread(); n > 0 {
				s.warn("%d bytes before a marker that belong to nothing", n)
			}
			s.bits, s.count, s.zeros = 0, 0, 0
			s.setPosition(at - 1)
			return marker, nil
		}
	}
}

// resume decides where to go on after a marker that is not the expected restart marker, as libjpeg does. It returns 0
// if the data up to the next restart are to be taken for missing, and else the marker after which to go on.
func (s *jpegScan) resume(marker, number byte) (byte, error) {
	for {
		ahead := (marker - markerRST0 - number) & 7
		restart := marker >= markerRST0 && marker < markerRST0+8
		switch {
		case marker >= markerSOF0 && !restart, restart && (ahead == 1 || ahead == 2):
			return 0, nil
		case restart && ahead < 6: // the expected one, or far from it
			return marker, nil
		}
		s.setPosition(s.position() + 2)
		var err error
		if marker, err = s.findMarker(); err != nil {
			return 0, err
		}
	}
}

// unread returns the bytes of the scan that have been taken from the data but not used.
func (s *jpegScan) unread() int {
	if s.zeros >= s.count {
		return 0
	}
	return int(s.count-s.zeros) / 8
}

// goOn does what libjpeg does after damage in a unit.
func (s *jpegScan) goOn() {
	if s.failed {
		s.damage("bad Huffman code")
		s.failed = false
	}
	if s.overrun() {
		s.warnOf(s.end())
		s.stopped, s.lacking = true, true
	}
	if s.arithmetic != nil && s.arithmetic.count == arithmeticBad {
		s.damage("bad arithmetic code")
	}
}
