package scene

import "math"

const (
	towerLeft, towerRight = 0.865, 1.125
	towerMiddle           = (towerLeft + towerRight) / 2
	towerTop, towerFoot   = 0.13, 0.835
)

// tower stands on the right. It has a resolution star in place of a clock, ribs of several periods, a board of letters,
// and a fence at its foot.
func tower(x, y float64) (colour, bool) {
	if c, ok := dome(x, y); ok {
		return c, true
	}
	if x < towerLeft || x > towerRight || y < towerTop || y > towerFoot {
		return colour{}, false
	}
	if c, ok := star(x-towerMiddle, y-0.262); ok {
		return c, true
	}
	if c, ok := board(x, y); ok {
		return c, true
	}
	light := 1.06 - 0.5*(x-towerLeft)/(towerRight-towerLeft)
	switch {
	case y > 0.752:
		return fence(x, y), true
	case y < 0.145 || y > 0.385 && y < 0.398:
		return hex(0xe9dcc3).times(light), true
	case y < 0.385:
		return hex(0xc9b595).times(light * (0.95 + 0.08*clouds(x*150, y*150, 3, 50))), true
	}
	return ribs(x, y).times(light), true
}

// dome is a half disc with a pole on the roof.
func dome(x, y float64) (colour, bool) {
	dx, dy := (x-towerMiddle)/0.085, (y-towerTop)/0.075
	if dy <= 0 && dx*dx+dy*dy < 1 {
		_, seam := cell(math.Asin(dx/math.Sqrt(1-dy*dy)), math.Pi/14)
		c := mix(hex(0x9fd0bb), hex(0x2f6b63), 0.5+0.5*dx-0.25*dy*dx)
		if seam < 0.16 {
			c = c.times(0.72)
		}
		return c, true
	}
	return hex(0x4a4a4a), math.Abs(x-towerMiddle) < 0.0025 && y > 0.02 && y < towerTop
}

// star is a Siemens star. Towards its middle the sectors become narrower than a pixel.
func star(dx, dy float64) (colour, bool) {
	radius := distance(dx, dy)
	switch {
	case radius > 0.102:
		return colour{}, false
	case radius > 0.094:
		return hex(0x7a5c2e), true
	case radius > 0.088 || radius < 0.004:
		return hex(0xf4ead2), true
	}
	if _, sector := cell(math.Atan2(dy, dx), math.Pi/18); sector < 0.5 {
		return hex(0x1d2433), true
	}
	return hex(0xf4ead2), true
}

// ribs are vertical stripes in bands, each finer than the one above.
func ribs(x, y float64) colour {
	band, down := cell(y-0.398, 0.059)
	period := [...]float64{0.0260, 0.0173, 0.0118, 0.0081, 0.0058, 0.0041}[max(0, min(band, 5))]
	if down < 0.10 {
		return hex(0xe9dcc3)
	}
	_, along := cell(x-towerLeft, period)
	if along < 0.5 {
		return hex(0xd9c6a3)
	}
	return hex(0x5b6472)
}

var boardLines = []lettering{
	newLettering("DENOISE"),
	newLettering("EDGES  LINES"),
	newLettering("0123456789 ABCDEF"),
	newLettering("the quick brown fox jumps"),
	newLettering("over the lazy dog, and so on & on"),
	newLettering("until the letters are as small as the pixels"),
	newLettering("and what is left of them looks a lot like noise itself"),
}

// board is a board with lines of letters. Each line is as long as the board is wide, so longer texts have smaller
// letters.
func board(x, y float64) (colour, bool) {
	const left, right, top, bottom, margin = 0.893, 1.097, 0.512, 0.672, 0.008
	if x < left || x > right || y < top || y > bottom {
		return colour{}, false
	}
	paper := mix(hex(0xfdf8ea), hex(0xe4dcc8), (y-top)/(bottom-top))
	if min(x-left, right-x, y-top, bottom-y) < 0.003 {
		return hex(0x2d2a26), true
	}
	down := y - top - margin
	for _, line := range boardLines {
		height := (right - left - 2*margin) / line.length()
		if down < height {
			if line.covers((x-left-margin)/height, down/height) {
				return hex(0x23262e), true
			}
			break
		}
		down -= height
	}
	return paper, true
}

// fence has four panels with diagonal stripes of different slopes and periods.
func fence(x, y float64) colour {
	panel, within := cell(x-towerLeft, (towerRight-towerLeft)/4)
	if within < 0.04 || y < 0.757 || y > 0.825 {
		return hex(0x3a3a3c)
	}
	slope := [...]float64{1, -1, 1.7, -0.6}[panel&3]
	period := [...]float64{0.024, 0.015, 0.010, 0.0065}[panel&3]
	if _, stripe := cell(x+slope*y, period); stripe < 0.5 {
		return hex(0xf2c12e)
	}
	return hex(0x26262a)
}
