package imageio

import (
	"encoding/binary"
	"math"
)

// Linear reports whether a colour profile, or the gamma or coding of a PNG file, says that samples are in proportion to
// light. Without any of these, samples count as sRGB. m may be nil.
func (m *Metadata) Linear() bool {
	icc := m.shared().icc
	const head = 128 + 4
	if len(icc) < head {
		return false
	}
	tags := icc[head:]
	for range min(int(binary.BigEndian.Uint32(icc[128:])), len(tags)/12) {
		name := string(tags[:4])
		at, size := int64(binary.BigEndian.Uint32(tags[4:])), int64(binary.BigEndian.Uint32(tags[8:]))
		tags = tags[12:]
		if (name == "gTRC" || name == "kTRC") && at+size <= int64(len(icc)) {
			return isLinearCurve(icc[at : at+size])
		}
	}
	return false
}

// isLinearCurve reads a curve of a profile (ICC.1:2022, 10.6 and 10.18). A table of two values that goes from 0 to 1 is
// one, too.
func isLinearCurve(tag []byte) bool {
	if len(tag) < 12 {
		return false
	}
	const near = 0.01
	switch body := tag[12:]; string(tag[:4]) {
	case "curv":
		switch count := binary.BigEndian.Uint32(tag[8:]); {
		case count == 0:
			return true
		case count == 1 && len(body) >= 2:
			return math.Abs(float64(binary.BigEndian.Uint16(body))/256-1) < near
		case count == 2 && len(body) >= 4:
			return binary.BigEndian.Uint16(body) == 0 && binary.BigEndian.Uint16(body[2:]) == math.MaxUint16
		}
	case "para":
		pure := binary.BigEndian.Uint16(tag[8:]) == 0 && len(body) >= 4
		return pure && math.Abs(float64(binary.BigEndian.Uint32(body))/65536-1) < near
	}
	return false
}
