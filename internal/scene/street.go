package scene

import "math"

// streetTop is the y of the upper edge of the pavement.
const streetTop = 0.80

// ground is a pavement of slabs in perspective, with the shadow of the tree and a pedestrian crossing.
func ground(x, y float64) (colour, bool) {
	if y < streetTop {
		return colour{}, false
	}
	depth := 0.10 / (y - streetTop + 0.05) // 2 at the far edge, 0.4 in front
	across := (x - 0.62) * depth
	row, down := cell(depth, 0.055)
	slab, along := cell(across+0.04*float64(row&1), 0.08)
	c := mix(hex(0x8d8378), hex(0xb5a793), random(slab, row, 60))
	if down < 0.09 || along < 0.05 {
		c = hex(0x5e564e)
	}
	c = c.times(0.86 + 0.28*clouds(x*190, y*330, 3, 61))
	if _, stripe := cell(across, 0.15); depth < 0.78 && depth > 0.52 && stripe < 0.5 {
		c = mix(c, hex(0xf3efe6), 0.75) // pedestrian crossing
	}
	shade := ramp(1, 0.5, distance((x-treeX-0.03)/0.15, (y-0.87)/0.03))
	return mix(c, hex(0x3a3440), 0.55*shade).times(1.1 - 0.9*(y-streetTop)), true
}

// Centre of the crown of the tree.
const treeX, treeY = 0.715, 0.635

// tree is a crown of leaves on a trunk. The leaves are texture that never repeats.
func tree(x, y float64) (colour, bool) {
	dx, dy := x-treeX, y-treeY
	radius := distance(dx, dy)
	if radius < 0.13 {
		angle := math.Atan2(dy, dx)
		edge := 0.098 + 0.03*clouds(3*math.Cos(angle)+5, 3*math.Sin(angle)+5, 4, 70)
		leaf := clouds(x*85, y*85, 3, 71)
		if radius < edge-0.045*ramp(0.5, 0.75, leaf) {
			light := 0.5 - 2.2*dx - 2.6*dy + 1.7*(leaf-0.5)
			c := mix(hex(0x1e3a20), hex(0x6f8f3a), light)
			return mix(c, hex(0xe0cf6a), ramp(0.75, 1.25, light)), true
		}
	}
	flare := max(0, y-0.85)
	if dy < 0 || y > 0.872 || math.Abs(dx) > 0.009+10*flare*flare {
		return colour{}, false
	}
	bark := clouds(x*260, y*40, 3, 72)
	return mix(hex(0x3a2a20), hex(0x7b5f48), bark-20*dx), true
}

// lamp is a street lamp: a thin pole whose top bends over to a bright disc.
func lamp(x, y float64) (colour, bool) {
	const poleX, top, foot = 0.588, 0.43, 0.90
	const bend, thickness = 0.02, 0.0025
	const headX, headY, headRadius = poleX + 2*bend, top + 0.018, 0.018
	switch radius := distance(x-headX, y-headY); {
	case radius < headRadius-0.003:
		return mix(hex(0xfffdf0), hex(0xffd98a), radius/headRadius), true
	case radius < headRadius:
		return hex(0x22262b), true
	}
	arc := distance(x-poleX-bend, y-top) - bend
	onArc := y <= top && math.Abs(arc) < thickness
	onPole := y > top && y < foot && math.Abs(x-poleX) < thickness
	onFoot := y > foot-0.05 && y < foot && math.Abs(x-poleX) < 0.007
	return hex(0x22262b), onArc || onPole || onFoot
}
