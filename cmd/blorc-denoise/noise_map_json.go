package main

import (
	"math"
	"strconv"

	"github.com/blorc-denoise/blorc-denoise/denoise"
)

// mapRecord is a noise map in JSON.
type mapRecord struct {
	X       int          `json:"x,omitempty"` // where the map begins, if a damaged file lacks rows or columns
	Y       int          `json:"y,omitempty"`
	Width   int          `json:"width"`
	Height  int          `json:"height"`
	Side    int          `json:"side"` // of a cell in samples
	Columns int          `json:"columns"`
	Rows    int          `json:"rows"`
	Parts   []partRecord `json:"parts"`
}

// partRecord is a part of a noise map. All is in levels of the file.
type partRecord struct {
	Name   string       `json:"name"`
	Scales [3]float64   `json:"scales"` // at full, half and quarter size
	Curve  [][2]float64 `json:"curve"`  // brightness and noise
	Cells  []*float64   `json:"cells"`  // row by row; null = no picture
}

func mapRecordOf(m denoise.NoiseMap) *mapRecord {
	r := &mapRecord{
		X: m.Area.Min.X, Y: m.Area.Min.Y, Width: m.Area.Dx(), Height: m.Area.Dy(),
		Side: m.Side, Columns: m.Columns, Rows: m.Rows, Parts: []partRecord{},
	}
	for _, p := range m.Parts {
		part := partRecord{Name: p.Name, Curve: [][2]float64{}}
		for i, s := range p.Scales {
			part.Scales[i] = digits(s)
		}
		for i, level := range p.Levels {
			part.Curve = append(part.Curve, [2]float64{digits(level), digits(p.Sigmas[i])})
		}
		for _, v := range p.Cells {
			var cell *float64
			if !math.IsNaN(v) {
				v = digits(v)
				cell = &v
			}
			part.Cells = append(part.Cells, cell)
		}
		r.Parts = append(r.Parts, part)
	}
	return r
}

// digits leaves the five digits of a number that may mean something.
func digits(v float64) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 5, 64), 64)
	if err != nil {
		return v
	}
	return rounded
}
