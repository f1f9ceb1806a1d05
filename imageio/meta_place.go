package imageio

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"math"
	"regexp"
	"slices"
	"strconv"
)

// Tags that say where a picture lies: on a page (TIFF 6.0, section 12), and on the earth (OGC GeoTIFF 1.1, and "RPCs in
// GeoTIFF").
const (
	tagXPosition  = 286
	tagYPosition  = 287
	tagPixelScale = 33550
	tagTiePoints  = 33922 // six numbers each: a place in the raster, and the place in the model
	tagTransform  = 34264 // matrix of 4 x 4 from the raster to the model, row by row
	tagGeoKeys    = 34735
	tagRPC        = 50844 // the third number and the fourth are a row and a column of the raster

	keyRasterType = 1025 // of tagGeoKeys
	rasterPoint   = 2    // whole numbers are the centres of samples, not their corners
)

// addOffset adds to the offset in an oFFs chunk. It returns false if that is not in samples or becomes too large.
func (c *pngChunk) addOffset(by image.Point) bool {
	const samples = 0
	if len(c.body) != 9 || c.body[8] != samples {
		return false
	}
	c.body = slices.Clone(c.body)
	for i, d := range []int{by.X, by.Y} {
		v := int64(int32(binary.BigEndian.Uint32(c.body[4*i:]))) + int64(d)
		if v > math.MaxInt32 || v < -math.MaxInt32 {
			return false
		}
		binary.BigEndian.PutUint32(c.body[4*i:], uint32(v))
	}
	return true
}

// imageJOrigin is a line of the description of ImageJ: the sample that has the place 0.
var imageJOrigin = regexp.MustCompile(`(?m)^([xy])origin=([-+.\dEe]+)`)

// movedOrigin returns a description with the origin of a part, if it tells that of the whole.
func movedOrigin(text []byte, x, y int) []byte {
	if !bytes.HasPrefix(text, []byte("ImageJ=")) {
		return text
	}
	return imageJOrigin.ReplaceAllFunc(text, func(line []byte) []byte {
		part, d := imageJOrigin.FindSubmatch(line), y
		if part[1][0] == 'x' {
			d = x
		}
		v, err := strconv.ParseFloat(string(part[2]), 64)
		if err != nil {
			return line
		}
		return fmt.Appendf(nil, "%sorigin=%v", part[1], v-float64(d))
	})
}

// toPart changes what ties the raster to the earth or to an origin to suit a part of it. The values are not those of
// the whole afterwards.
func (d directory) toPart(order binary.ByteOrder, at image.Point) {
	x, y := float64(at.X), float64(at.Y)
	d.moveTiePoints(order, func(i, j float64) (float64, float64) { return i - x, j - y })
	d.changeRaster(order, [2][3]float64{{1, 0, x}, {0, 1, y}})
	if t := d.find(tagRPC); t != nil {
		if v := t.doubles(order); len(v) >= 4 {
			v[2], v[3] = v[2]-y, v[3]-x
			t.setDoubles(order, v)
		}
	}
	if t := d.find(tagDescription); t != nil && t.typ == typeASCII {
		t.data = movedOrigin(t.data, at.X, at.Y)
		t.count = uint64(len(t.data))
	}
}

// turned returns the tags of a raster of w x h samples after it was turned upright.
func (d directory) turned(order binary.ByteOrder, turn orientation, w, h int64) directory {
	d = d.withMatrix(order).without(tagRPC) // polynomials cannot be turned
	last := [2]float64{float64(w), float64(h)}
	if d.rasterType(order) == rasterPoint {
		last[0], last[1] = last[0]-1, last[1]-1
	}
	mirrorX, mirrorY := turn.mirrored()
	d.moveTiePoints(order, func(i, j float64) (float64, float64) {
		if mirrorX {
			i = last[0] - i
		}
		if mirrorY {
			j = last[1] - j
		}
		if turn.transposed() {
			i, j = j, i
		}
		return i, j
	})
	stored := [2][3]float64{{1, 0, 0}, {0, 1, 0}}
	if turn.transposed() {
		stored = [2][3]float64{{0, 1, 0}, {1, 0, 0}}
	}
	for i, mirrored := range []bool{mirrorX, mirrorY} {
		if mirrored {
			stored[i] = [3]float64{-stored[i][0], -stored[i][1], last[i]}
		}
	}
	d.changeRaster(order, stored)
	return d
}

// withMatrix returns the tags with a matrix in place of one tie point and a scale, which cannot tell that a raster is
// turned.
func (d directory) withMatrix(order binary.ByteOrder) directory {
	scale, tie := d.find(tagPixelScale), d.find(tagTiePoints)
	if scale == nil || tie == nil {
		return d
	}
	s, t := scale.doubles(order), tie.doubles(order)
	if len(s) != 3 || len(t) < 6 {
		return d
	}
	s[1] = -s[1] // rows go down, and the model goes up (GeoTIFF, annex B.6)
	m := make([]float64, 16)
	for i := range 3 {
		m[5*i], m[4*i+3] = s[i], t[3+i]-s[i]*t[i]
	}
	m[15] = 1
	matrix := tag{id: tagTransform}
	matrix.setDoubles(order, m)
	return d.without(tagPixelScale, tagTiePoints).with(matrix)
}

// moveTiePoints changes the places of the tie points in the raster.
func (d directory) moveTiePoints(order binary.ByteOrder, move func(i, j float64) (float64, float64)) {
	t := d.find(tagTiePoints)
	if t == nil {
		return
	}
	v := t.doubles(order)
	for p := v; len(p) >= 6; p = p[6:] {
		p[0], p[1] = move(p[0], p[1])
	}
	t.setDoubles(order, v)
}

// changeRaster changes the matrix to begin at another raster. The rows of old tell the old place: factors of the new
// one, and what is added.
func (d directory) changeRaster(order binary.ByteOrder, old [2][3]float64) {
	t := d.find(tagTransform)
	if t == nil {
		return
	}
	v := t.doubles(order)
	if len(v) != 16 {
		return
	}
	for row := v; len(row) > 0; row = row[4:] {
		a, b := row[0], row[1]
		row[0], row[1] = a*old[0][0]+b*old[1][0], a*old[0][1]+b*old[1][1]
		row[3] += a*old[0][2] + b*old[1][2]
	}
	t.setDoubles(order, v)
}

// rasterType returns what GeoTIFF says about whole numbers, or 0.
func (d directory) rasterType(order binary.ByteOrder) uint16 {
	t := d.find(tagGeoKeys)
	if t == nil || t.typ != typeShort {
		return 0
	}
	for p := t.data; len(p) >= 8; p = p[8:] { // the first four numbers are the version and the count
		if order.Uint16(p) == keyRasterType && order.Uint16(p[2:]) == 0 {
			return order.Uint16(p[6:])
		}
	}
	return 0
}

// doubles returns the values of a tag, or nil if they have another type.
func (t *tag) doubles(order binary.ByteOrder) (v []float64) {
	if t.typ != typeDouble {
		return nil
	}
	for p := t.data; len(p) >= 8; p = p[8:] {
		v = append(v, math.Float64frombits(order.Uint64(p)))
	}
	return v
}

// setDoubles sets the values of a tag. No values leave it as it is.
func (t *tag) setDoubles(order binary.ByteOrder, v []float64) {
	if len(v) == 0 {
		return
	}
	t.typ, t.count, t.data = typeDouble, uint64(len(v)), nil
	for _, x := range v {
		t.data = order.(binary.AppendByteOrder).AppendUint64(t.data, math.Float64bits(x))
	}
}
