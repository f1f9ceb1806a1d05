package imageio

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/blorc-denoise/blorc-denoise/internal/matrix3"
)

// point is a colour without its brightness: x and y of CIE 1931.
type point struct{ x, y float64 }

// primaries are the colours of red, green, blue and white.
type primaries struct{ red, green, blue, white point }

var (
	d65  = point{0.3127, 0.3290}
	srgb = primaries{point{0.64, 0.33}, point{0.30, 0.60}, point{0.15, 0.06}, d65}
)

// codedPrimaries and codedCurves are what numbers in a cICP chunk mean (ITU-T H.273, 2021). Curves of high dynamic
// range are not here: a profile of version 2 cannot say what they say.
var (
	codedPrimaries = map[byte]primaries{
		1:  srgb,
		9:  {point{0.708, 0.292}, point{0.170, 0.797}, point{0.131, 0.046}, d65},
		12: {point{0.680, 0.320}, point{0.265, 0.690}, point{0.150, 0.060}, d65},
	}
	codedCurves = map[byte]curve{1: bt709, 4: gamma(2.2), 6: bt709, 8: gamma(1), 13: srgbCurve, 14: bt709, 15: bt709}
)

// curve says how much light the samples stand for. Either gamma is its exponent, or light gives it, from 0 to 1 for a
// sample from 0 to 1.
type curve struct {
	gamma float64
	light func(v float64) float64
}

func gamma(g float64) curve { return curve{gamma: g} }

var (
	srgbCurve = curve{light: func(v float64) float64 {
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}}
	bt709 = curve{light: func(v float64) float64 {
		if v < 0.081 {
			return v / 4.5
		}
		return math.Pow((v+0.099)/1.099, 1/0.45)
	}}
)

// described returns a profile that says of colours what the chunks of the file say without one. It is nil if they say
// nothing, or what is meant without them: sRGB. cICP counts more than sRGB, and that more than gAMA and cHRM (section
// 4.3 of the specification).
func (m *pngMeta) described() []byte {
	var coded, usual, exponent, points []byte
	for _, c := range m.chunks {
		switch c.kind {
		case "cICP":
			coded = c.body
		case "sRGB":
			usual = c.body
		case "gAMA":
			exponent = c.body
		case "cHRM":
			points = c.body
		}
	}
	p, light := srgb, curve{}
	switch {
	case len(coded) == 4:
		var known, also bool
		p, known = codedPrimaries[coded[0]]
		light, also = codedCurves[coded[1]]
		if !known || !also || coded[2] != 0 || coded[3] != 1 || coded[0] == 1 && coded[1] == 13 {
			return nil
		}
	case usual != nil || len(exponent) != 4:
		return nil
	default:
		g := float64(binary.BigEndian.Uint32(exponent)) / 1e5
		light = gamma(1 / g)
		if len(points) == 32 && !m.gray {
			p = pointsOf(points)
		}
		if !(g >= 0.1 && g <= 10) || math.Abs(2.2*g-1) < 0.02 && p.near(srgb) { // else no curve that a program means
			return nil
		}
	}
	if m.gray {
		return grayProfile(light)
	}
	return rgbProfile(p, light)
}

// pointsOf reads a cHRM chunk.
func pointsOf(b []byte) primaries {
	at := func(i int) point {
		return point{float64(binary.BigEndian.Uint32(b[8*i:])) / 1e5, float64(binary.BigEndian.Uint32(b[8*i+4:])) / 1e5}
	}
	return primaries{white: at(0), red: at(1), green: at(2), blue: at(3)}
}

// near reports whether programs take two sets of primaries for the same.
func (p primaries) near(q primaries) bool {
	const rounding = 0.003
	a, b := [4]point{p.red, p.green, p.blue, p.white}, [4]point{q.red, q.green, q.blue, q.white}
	for i := range a {
		if math.Abs(a[i].x-b[i].x) > rounding || math.Abs(a[i].y-b[i].y) > rounding {
			return false
		}
	}
	return true
}

// xyz returns the colour with a brightness of 1.
func (p point) xyz() matrix3.Vector { return matrix3.Vector{p.x / p.y, 1, (1 - p.x - p.y) / p.y} }

// bradford turns XYZ into what the cones see (ICC.1:2022, annex E).
var bradford = matrix3.Matrix{{0.8951, 0.2664, -0.1614}, {-0.7502, 1.7135, 0.0367}, {0.0389, -0.0685, 1.0296}}

// d50 is the white of profiles.
var d50 = matrix3.Vector{0.9642, 1, 0.8249}

// colorants returns red, green and blue in XYZ as they look under the white of profiles. The numbers are not finite if
// the primaries are no triangle.
func (p primaries) colorants() [3]matrix3.Vector {
	list, white := [3]matrix3.Vector{p.red.xyz(), p.green.xyz(), p.blue.xyz()}, p.white.xyz()
	var columns matrix3.Matrix
	for i := range 3 {
		columns[i] = matrix3.Vector{list[0][i], list[1][i], list[2][i]}
	}
	share := columns.Inverse().Times(white)
	from, to, back := bradford.Times(white), bradford.Times(d50), bradford.Inverse()
	for i, v := range list {
		v = bradford.Times(matrix3.Vector{share[i] * v[0], share[i] * v[1], share[i] * v[2]})
		for j := range v {
			v[j] *= to[j] / from[j]
		}
		list[i] = back.Times(v)
	}
	return list
}

// rgbProfile returns a profile of version 2 with a matrix, or nil if the primaries make no sense.
func rgbProfile(p primaries, light curve) []byte {
	tags := []profileTag{{"wtpt", xyzTag(d50)}}
	for i, v := range p.colorants() {
		for _, c := range v {
			if !(math.Abs(c) < 4) {
				return nil
			}
		}
		tags = append(tags, profileTag{string("rgb"[i]) + "XYZ", xyzTag(v)})
	}
	c := light.tag()
	return profileOf("RGB ", append(tags, profileTag{"rTRC", c}, profileTag{"gTRC", c}, profileTag{"bTRC", c}))
}

func grayProfile(light curve) []byte {
	return profileOf("GRAY", []profileTag{{"wtpt", xyzTag(d50)}, {"kTRC", light.tag()}})
}

// profileTag is a part of a profile.
type profileTag struct {
	name string
	body []byte
}

// fixed16 appends a number with 16 bits after the point.
func fixed16(b []byte, v float64) []byte {
	return binary.BigEndian.AppendUint32(b, uint32(int32(math.Round(v*65536))))
}

func xyzTag(v matrix3.Vector) []byte {
	b := []byte("XYZ \x00\x00\x00\x00")
	for _, c := range v {
		b = fixed16(b, c)
	}
	return b
}

// tag is the curve as an exponent or as a table.
func (c curve) tag() []byte {
	b := []byte("curv\x00\x00\x00\x00")
	if c.light == nil {
		return binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint32(b, 1), uint16(math.Round(c.gamma*256)))
	}
	const entries = 1024
	b = binary.BigEndian.AppendUint32(b, entries)
	for i := range entries {
		b = binary.BigEndian.AppendUint16(b, uint16(math.Round(c.light(float64(i)/(entries-1))*math.MaxUint16)))
	}
	return b
}

// profileOf builds the profile of a display with samples of a colour space (ICC.1:2001-04). Equal tags are written
// once.
func profileOf(space string, tags []profileTag) []byte {
	const name = "as the PNG file says"
	text := append([]byte("desc\x00\x00\x00\x00"), 0, 0, 0, byte(len(name)+1))
	text = append(append(text, name...), make([]byte, 1+4+4+2+1+67)...) // no name in other scripts
	tags = append([]profileTag{{"desc", text}, {"cprt", []byte("text\x00\x00\x00\x00no copyright\x00")}}, tags...)

	head := make([]byte, 128)
	binary.BigEndian.PutUint32(head[8:], 0x02100000)
	copy(head[12:], "mntr"+space+"XYZ ")
	copy(head[24:], []byte{0x07, 0xd0, 0, 1, 0, 1}) // 1 January 2000: the same bytes for the same colours
	copy(head[36:], "acsp")
	copy(head[68:], xyzTag(d50)[8:])

	list := binary.BigEndian.AppendUint32(nil, uint32(len(tags)))
	var bodies []byte
	start, place := len(head)+4+12*len(tags), 0
	for i, t := range tags {
		if i == 0 || !bytes.Equal(t.body, tags[i-1].body) {
			place = start + len(bodies)
			bodies = append(bodies, t.body...)
			bodies = append(bodies, make([]byte, -len(bodies)&3)...)
		}
		list = append(list, t.name...)
		list = binary.BigEndian.AppendUint32(list, uint32(place))
		list = binary.BigEndian.AppendUint32(list, uint32(len(t.body)))
	}
	out := append(append(head, list...), bodies...)
	binary.BigEndian.PutUint32(out, uint32(len(out)))
	return out
}
