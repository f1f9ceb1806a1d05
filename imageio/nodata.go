package imageio

import (
	"math"
	"strconv"
	"strings"
)

// tagNoData is GDAL's tag for the level of samples that were not measured, as text.
const tagNoData = 42113

// maxNoData is the longest text of a number that is read.
const maxNoData = 64

// noData returns the level of samples that were not measured. It returns nil if the file tells none, or no finite
// number.
func (d *ifd) noData() *float64 {
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
	if err != nil || checkNoData(&level) != nil {
		return nil
	}
	return &level
}

// checkNoData reports a level that no sample can have.
func checkNoData(level *float64) error {
	if level != nil && (math.IsNaN(*level) || math.IsInf(*level, 0)) {
		return failf(ErrArgument, "no data %g, must be finite", *level)
	}
	return nil
}

// NoDataSample returns the sample that the level NoData has in a plane: the one of Planes, or that of Extra with a
// number from len(Planes) on. White is the full scale of floats; 0 means 1. It is false if there is no such level, or
// if samples of the file cannot have it.
func (m *Image) NoDataSample(plane int, white float64) (sample float32, ok bool) {
	if m.NoData == nil {
		return 0, false
	}
	level := *m.NoData
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
