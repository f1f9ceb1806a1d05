package imageio

import (
	"bufio"
	"io"
	"math"
)

// Floats that are stored as logarithms (G. Ward Larson, "LogLuv Encoding for Full-Gamut, High-Dynamic Range Images",
// Journal of Graphics Tools 3(1), 1998), as libtiff stores them. OpenCV does so with float colours.

// checkLog refuses other compressions than that of 16 or 32 bits for each pixel.
func (l *tiffLayout) checkLog() error {
	switch {
	case l.compression != compressionLog:
		return unsupportedTIFF("%s, %s compression,", photometricName(l.photometric), compressionName(l.compression))
	case l.planar:
		return unsupportedTIFF("%s in planes", photometricName(l.photometric))
	}
	// The other tags of samples say what the program that wrote the file had in memory.
	l.samples, l.inks = 3, 3
	if l.photometric == logL {
		l.samples, l.inks = 1, 1
	}
	l.bits, l.format, l.predictor = 32, formatFloat, predictorNone
	return nil
}

// logBlock decodes a strip or tile.
func (d *tiffDecoder) logBlock(r io.Reader, a tiffArea) error {
	row := make([]uint32, d.blockWidth)
	in := bufio.NewReader(r)
	for y := range a.rows {
		at := (a.y+y)*d.width + a.x
		shift := 24
		if d.photometric == logL {
			shift = 8
		}
		clear(row)
		for ; shift >= 0; shift -= 8 {
			if err := logBytes(in, row, shift); err != nil {
				return err
			}
		}
		for x, v := range row[:a.width] {
			i := at + int64(x)
			if d.photometric == logL {
				d.channels[0][i] = float32(logLuminance(v) / d.white)
				continue
			}
			red, green, blue := logColour(v)
			d.channels[0][i], d.channels[1][i], d.channels[2][i] = float32(red/d.white), float32(green/d.white),
				float32(blue/d.white)
		}
	}
	return nil
}

// logBytes adds one byte of each value, which are coded as runs.
func logBytes(r io.ByteReader, row []uint32, shift int) error {
	for i := 0; i < len(row); {
		n, err := r.ReadByte()
		if err != nil {
			return err
		}
		if n >= 128 {
			v, err := r.ReadByte()
			if err != nil {
				return err
			}
			for range min(int(n)-126, len(row)-i) {
				row[i] |= uint32(v) << shift
				i++
			}
			continue
		}
		for range min(int(n), len(row)-i) {
			v, err := r.ReadByte()
			if err != nil {
				return err
			}
			row[i] |= uint32(v) << shift
			i++
		}
	}
	return nil
}

// logLuminance returns the luminance of a value of 16 bits.
func logLuminance(v uint32) float64 {
	if v&0x7fff == 0 {
		return 0
	}
	y := math.Exp2((float64(v&0x7fff)+0.5)/256 - 64)
	if v&0x8000 != 0 {
		return -y
	}
	return y
}

// logColour returns the linear red, green and blue (ITU-R BT.709) of a value of 32 bits: the luminance, and the
// coordinates u' and v' of CIE 1976.
func logColour(v uint32) (red, green, blue float64) {
	lum := logLuminance(v >> 16)
	if lum <= 0 {
		return 0, 0, 0
	}
	u1, v1 := (float64(v>>8&0xff)+0.5)/410, (float64(v&0xff)+0.5)/410
	s := 1 / (6*u1 - 16*v1 + 12)
	cx, cy := 9*u1*s, 4*v1*s
	x, y, z := cx/cy*lum, lum, (1-cx-cy)/cy*lum
	return 3.240479*x - 1.53715*y - 0.498535*z, -0.969256*x + 1.875991*y + 0.041556*z,
		0.055648*x - 0.204043*y + 1.057311*z
}
