package imageio

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// tagNoData is GDAL's tag for the level of samples that were not measured, as text.
const tagNoData = 42113

// maxNoData is the longest text of a number that is read.
const maxNoData = 64

// noData returns the level of missing values. It returns nil if the file tells none, or no finite number.
func (d *ifd) noData() []float64 {
	e := d.find(tagNoData)
	if e == nil || e.typ != typeASCII || e.count > maxNoData {
		return nil
	}
	data, err := d.value(e, maxNoData)
	if err != nil {
		return nil
	}
	text, _, _ := strings.Cut(string(data), "\x00")
	level, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if levels := []float64{level}; err == nil && checkNoData(levels) == nil {
		return levels
	}
	return nil
}

// checkNoData reports a level that no sample can have.
func checkNoData(levels []float64) error {
	for _, level := range levels {
		if math.IsNaN(level) || math.IsInf(level, 0) {
			return failf(ErrArgument, "no data %g, must be finite", level)
		}
	}
	return nil
}

// NoDataSamples returns the samples that the levels NoData have in a plane: one of Planes, or that of Extra with a
// number from len(Planes) on. White is the full scale of floats; 0 means 1. Levels that samples of the file cannot have
// are left out.
func (m *Image) NoDataSamples(plane int, white float64) (samples []float32) {
	for _, level := range m.NoData {
		if v, ok := m.sampleOf(level, plane, white); ok {
			samples = append(samples, v)
		}
	}
	return samples
}

// LacksNoData returns those of some levels of missing values that no sample of a colour or extra plane has.
func (m *Image) LacksNoData(levels []float64, white float64) (missing []float64) {
	for _, level := range levels {
		if !m.hasLevel(level, white) {
			missing = append(missing, level)
		}
	}
	return missing
}

func (m *Image) hasLevel(level, white float64) bool {
	for i, p := range slices.Concat(m.Planes, m.Extra) {
		if v, ok := m.sampleOf(level, i, white); ok && slices.Contains(p, v) {
			return true
		}
	}
	return false
}

// sampleOf returns the sample that a level has in a plane; see NoDataSamples.
func (m *Image) sampleOf(level float64, plane int, white float64) (sample float32, ok bool) {
	if top := m.Depth.Max(); top > 0 && !(level >= m.Depth.least() && level <= top) {
		return 0, false
	}
	channel := plane
	if at := m.alphaChannel(); at >= 0 && plane >= at {
		channel++
	}
	if flip := m.flip(channel); flip != 0 {
		level = float64(uint32(level) ^ flip)
	}
	if white == 0 {
		white = 1
	}
	return m.Depth.unit(level, white), true
}
