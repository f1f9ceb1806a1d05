package scene

import "math"

// Centre and radius of the sun.
const sunX, sunY, sunRadius = 0.705, 0.27, 0.062

// sky is a smooth gradient with a few thin clouds and the disc of the sun.
func sky(x, y float64) colour {
	c := mix(hex(0x2a4a82), hex(0x7d93b8), ramp(-0.2, 0.4, y))
	c = mix(c, hex(0xf6c493), ramp(0.1, 0.75, y))
	fromSun := distance(x-sunX, y-sunY)
	c = mix(c, hex(0xffe2ae), 0.75*math.Exp(-fromSun/0.13))
	veil := clouds(2.2*x+3*y, 13*y, 4, 100)
	c = mix(c, hex(0xfff1e0), 0.55*ramp(0.52, 0.85, veil))
	if fromSun < sunRadius {
		c = mix(hex(0xfffbea), hex(0xffe9a8), fromSun/sunRadius)
	}
	return c
}

// skyline is two rows of distant houses in the haze, with small lit windows.
func skyline(x, y float64) (colour, bool) {
	if c, ok := houses(x, y, 0.058, 0.50, hex(0x7c7488), 1); ok {
		return c, true
	}
	return houses(x+0.021, y, 0.043, 0.40, hex(0xb59a9b), 2)
}

// houses is a row of houses of the given width. Their roofs begin at top or up to 0.13 below it.
func houses(x, y, width, top float64, wall colour, kind int) (colour, bool) {
	number, within := cell(x, width)
	eaves := top + 0.13*random(number, 0, kind)
	roof := eaves
	if random(number, 1, kind) < 0.35 { // a gable
		roof -= 0.045 * (1 - math.Abs(2*within-1))
	}
	if y < roof {
		return colour{}, false
	}
	wall = mix(wall, hex(0xf2bf95), ramp(0.45, 0.85, y)*0.6)
	column, u := cell(within*width, 0.0085)
	row, v := cell(y-eaves, 0.0125)
	if row >= 0 && u > 0.3 && v > 0.4 {
		if random(number*31+column, row, kind+10) < 0.4 {
			return mix(wall, hex(0xffdf9a), 0.8), true
		}
		return wall.times(0.82), true
	}
	return wall, true
}
