package imageio

import (
	"image"
	"slices"
)

// readMosaic reads what the samples mean.
func (d *dngFile) readMosaic() error {
	if err := d.readColours(); err != nil {
		return err
	}
	m := &d.mosaic
	if err := d.readActive(); err != nil {
		return err
	}
	if err := d.readTable(); err != nil {
		return err
	}
	if err := d.readBlack(); err != nil {
		return err
	}
	white, err := d.raw.numbers(tagWhiteLevel, 1)
	if err != nil {
		return err
	}
	if m.White = float64(uint64(1)<<d.bits() - 1); len(white) > 0 {
		m.White = white[0]
	}
	if !(m.White > m.darkest()) || m.White > 65535 {
		return damagedf(DNG, "white level %g, black level %g", m.White, m.darkest())
	}
	if err := d.readNoise(); err != nil {
		return err
	}
	reduced, err := d.numbers(tagNoiseReduction, 1)
	if len(reduced) > 0 && reduced[0] > 0 {
		m.Reduced = min(reduced[0], 1)
	}
	d.readDevelopment()
	return err
}

// darkest returns the largest black level of all samples.
func (m *Mosaic) darkest() float64 {
	v := 0.0
	for _, row := range m.black.pattern {
		v = max(v, slices.Max(row))
	}
	if len(m.black.columns) > 0 {
		v += slices.Max(m.black.columns)
	}
	if len(m.black.rows) > 0 {
		v += slices.Max(m.black.rows)
	}
	return v
}

// Range returns the distance from black to white.
func (m *Mosaic) Range() float64 { return m.White - m.darkest() }

func (d *dngFile) readActive() error {
	w, h := int(d.layout.width), int(d.layout.height)
	d.mosaic.Active.Max.X, d.mosaic.Active.Max.Y = w, h
	v, err := d.raw.uints(tagActiveArea, 4)
	if err != nil {
		return err
	}
	if v != nil {
		var ok bool
		if d.mosaic.Active, ok = rectangleIn(v, w, h); !ok {
			return damagedf(DNG, "active area outside the picture")
		}
	}
	masked, err := d.raw.uints(tagMaskedAreas, 4*maxMaskedAreas)
	for v := range slices.Chunk(masked, 4) {
		if r, ok := rectangleIn(v, w, h); ok && !r.Overlaps(d.mosaic.Active) {
			d.mosaic.Masked = append(d.mosaic.Masked, r)
		}
	}
	return err
}

// maxMaskedAreas is the most that DNG allows.
const maxMaskedAreas = 4

// rectangleIn returns the rectangle of a top, left, bottom and right, and whether it is one within a picture.
func rectangleIn(v []uint64, width, height int) (image.Rectangle, bool) {
	if len(v) < 4 || v[0] >= v[2] || v[1] >= v[3] || v[2] > uint64(height) || v[3] > uint64(width) {
		return image.Rectangle{}, false
	}
	return image.Rect(int(v[1]), int(v[0]), int(v[3]), int(v[2])), true
}

func (d *dngFile) readTable() error {
	v, err := d.raw.uints(tagLinearization, 1<<16)
	for _, n := range v {
		if n > 65535 {
			return damagedf(DNG, "linearization table")
		}
		d.table = append(d.table, uint16(n))
	}
	return err
}

// maxBlackRepeat limits the sides of the pattern of black levels.
const maxBlackRepeat = 64

func (d *dngFile) readBlack() error {
	repeat, err := d.raw.uints(tagBlackRepeat, 2)
	if err != nil {
		return err
	}
	if repeat == nil {
		repeat = []uint64{1, 1}
	}
	if len(repeat) < 2 || min(repeat[0], repeat[1]) < 1 || max(repeat[0], repeat[1]) > maxBlackRepeat {
		return damagedf(DNG, "black level")
	}
	rows, columns := int(repeat[0]), int(repeat[1])
	levels, err := d.raw.numbers(tagBlackLevel, uint64(rows*columns))
	if err != nil {
		return err
	}
	if levels == nil {
		levels = make([]float64, rows*columns)
	}
	if len(levels) != rows*columns {
		return damagedf(DNG, "%d black levels of %d", len(levels), rows*columns)
	}
	b := &d.mosaic.black
	for y := range rows {
		b.pattern = append(b.pattern, levels[y*columns:][:columns])
	}
	a := d.mosaic.Active
	if b.columns, err = d.raw.numbers(tagBlackDeltaH, uint64(a.Dx())); err != nil {
		return err
	}
	if b.rows, err = d.raw.numbers(tagBlackDeltaV, uint64(a.Dy())); b.rows != nil {
		d.mosaic.Masked = nil // they tell the same
	}
	return err
}

// readNoise reads the noise of red, green and blue. Numbers that no noise has count as none.
func (d *dngFile) readNoise() error {
	v, err := d.numbers(tagNoiseProfile, 6)
	if err != nil || len(v) != 2 && len(v) != 6 {
		return err
	}
	var all []MosaicNoise
	for ; len(v) > 0; v = v[2:] {
		n := MosaicNoise{v[0], v[1]}
		if !(n.Slope >= 0 && n.Slope <= 1 && n.Floor <= 1 && n.Floor >= -1) || n.Slope == 0 && n.Floor <= 0 {
			return nil
		}
		n.Floor = max(n.Floor, 0)
		all = append(all, n)
	}
	d.mosaic.Noise = all
	return nil
}
