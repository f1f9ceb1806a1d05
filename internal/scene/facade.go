package scene

import "math"

// The facade on the left recedes to the right, towards a vanishing point. On its wall, coordinate u goes along and v
// down, both in units of the scene at the far edge of the wall.
const (
	facadeEdge  = 0.56
	facadeRoof  = -0.62
	facadeFoot  = 0.07
	vanishingX  = 2.3
	vanishingY  = 0.76
	windowWidth = 0.078
	floorHeight = 0.098
	shopTop     = -0.12
)

// facade is a brick house in perspective.
func facade(x, y float64) (colour, bool) {
	if x > facadeEdge {
		return colour{}, false
	}
	const reach = vanishingX - facadeEdge
	u := reach*reach/(vanishingX-x) - reach // 0 at the far edge, negative towards us
	v := (y - vanishingY) * reach / (vanishingX - x)
	if v < facadeRoof || v > facadeFoot {
		return colour{}, false
	}
	c := wall(u, v)
	// The wall is brighter towards its far end.
	return c.times(0.80 + 0.22*ramp(-0.6, 0, u)), true
}

// wall returns the colour of the wall at (u, v).
func wall(u, v float64) colour {
	switch {
	case v < facadeRoof+0.05:
		return cornice(u, v-facadeRoof)
	case v > shopTop:
		return shop(u, v-shopTop)
	}
	return storey(u, v-facadeRoof-0.05)
}

// cornice is a row of small brackets between mouldings.
func cornice(u, v float64) colour {
	stone := hex(0xdccbb0)
	_, along := cell(u, 0.016)
	switch {
	case v < 0.010:
		return stone
	case v < 0.016:
		return stone.times(0.62)
	case v < 0.034 && along < 0.5:
		return stone.times(0.95)
	case v < 0.034:
		return stone.times(0.45)
	case v < 0.044:
		return stone.times(0.88)
	}
	return stone.times(0.58)
}

// storey is the brick wall with its windows.
func storey(u, v float64) colour {
	column, along := cell(u, windowWidth)
	floor, down := cell(v, floorHeight)
	x, y := (along-0.5)*windowWidth, (down-0.52)*floorHeight
	const halfWidth, halfHeight = 0.023, 0.034
	dx, dy := math.Abs(x)-halfWidth, math.Abs(y)-halfHeight
	switch {
	case dx < 0 && dy < 0:
		return window(x/halfWidth, y/halfHeight, column, floor)
	case y > halfHeight && dx < 0.008 && dy < 0.007:
		return hex(0xe6d8bf) // window sill
	case dx < 0.005 && dy < 0.005:
		return hex(0xcdb89a) // surround
	case y > halfHeight && dx < 0.007 && dy < 0.012:
		return bricks(u, v).times(0.6) // shadow of the sill
	case down > 0.955:
		return hex(0xb99b7c)
	}
	return bricks(u, v)
}

// window is one window, with x and y from -1 to 1. Some are lit, some have blinds or curtains.
func window(x, y float64, column, floor int) colour {
	frame := hex(0xf1ece0)
	if math.Abs(x) > 0.88 || math.Abs(y) > 0.92 || math.Abs(x) < 0.07 || math.Abs(y+0.3) < 0.045 {
		return frame
	}
	glass := mix(hex(0x3d5a80), hex(0x9db4cc), 0.5+0.5*(0.4*x-y))
	switch chance := random(column, floor, 20); {
	case chance < 0.28: // lit
		glass = mix(hex(0xffd27a), hex(0xd9853b), 0.5+0.5*y)
	case chance < 0.52: // blinds
		if _, slat := cell(y, 0.14); slat < 0.55 {
			return hex(0xd8cdb8)
		}
		glass = hex(0x5c5347)
	case chance < 0.72: // curtains
		if math.Abs(x) > 0.45+0.25*y {
			_, fold := cell(x, 0.13)
			return hex(0xc8b8a6).times(0.75 + 0.25*math.Abs(2*fold-1))
		}
		glass = glass.times(0.6)
	}
	if gleam := x + 0.6*y; gleam > 0.15 && gleam < 0.4 {
		glass = mix(glass, frame, 0.25)
	}
	return glass
}

// bricks are rows of bricks with mortar between them. Every second row is shifted by half a brick.
func bricks(u, v float64) colour {
	row, across := cell(v, 0.0105)
	number, along := cell(u+0.013*float64(row&1), 0.026)
	if across < 0.14 || along < 0.07 {
		return hex(0xb8a08a)
	}
	tone := random(number, row, 30)
	c := mix(hex(0x8f4a36), hex(0xb4694a), tone)
	return c.times(0.93 + 0.14*clouds(u*260, v*260, 2, 31))
}

var shopSign = newLettering("BOOKS & PRINTS  *  CAFE SIGMA")

// shop is the ground floor: a sign, a striped awning, and the glass below.
func shop(u, v float64) colour {
	const signHeight, awningHeight = 0.042, 0.036
	switch {
	case v < signHeight:
		const margin = 0.004
		scale := signHeight - 2*margin
		start := -0.015 - scale*shopSign.length() // so that it ends near the far edge
		if shopSign.covers((u-start)/scale, (v-margin)/scale) {
			return hex(0xf7e7b4)
		}
		return hex(0x1f3d3a)
	case v < signHeight+awningHeight+scallop(u):
		_, stripe := cell(u+0.35*v, 0.018)
		shade := 1.05 - 5*(v-signHeight)
		if stripe < 0.5 {
			return hex(0xb8322f).times(shade)
		}
		return hex(0xf5efe2).times(shade)
	case v > 0.165:
		return hex(0x4c443d)
	}
	_, post := cell(u, 0.12)
	if post < 0.09 {
		return hex(0x2b2420)
	}
	return mix(hex(0xffc56b), hex(0x6b3f25), ramp(0.07, 0.19, v)+0.3*clouds(u*45, v*30, 3, 40)-0.15)
}

// scallop returns by how much the lower edge of the awning hangs down at u.
func scallop(u float64) float64 {
	_, along := cell(u, 0.018)
	return 0.008 * math.Sin(math.Pi*along)
}
