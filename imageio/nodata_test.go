package imageio

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// withNoData returns a TIFF file with GDAL's tag.
func withNoData(t *testing.T, img *Image, text string) []byte {
	t.Helper()
	img.Meta = &Metadata{tiff: &tiffMeta{tiffForm: tiffForm{order: binary.LittleEndian}, tags: directory{
		{id: tagNoData, typ: typeASCII, count: uint64(len(text)), data: []byte(text)}}}}
	var file bytes.Buffer
	must.Do(t, Encode(&file, img, WriteOptions{}))
	return file.Bytes()
}

func TestNoDataOfFiles(t *testing.T) {
	for name, c := range map[string]struct {
		text   string
		depth  Depth
		level  float32 // sample of the picture that has the value
		white  float64
		has    bool
		sample bool // samples can have it
	}{
		"float":        {"-9999\x00", DepthFloat32, -9999, 1, true, true},
		"white":        {"-9999\x00", DepthFloat32, -9999.0 / 255, 255, true, true},
		"blanks":       {" 1e+20 \x00", DepthFloat32, 1e20, 1, true, true},
		"no end":       {"12", Depth8, 12.0 / 255, 1, true, true},
		"GDAL":         {"-3.40282346600000016e+38\x00", DepthFloat32, -math.MaxFloat32, 1, true, true},
		"signed":       {"-32768\x00", DepthInt16, -32768.0 / 32767, 1, true, true},
		"unsigned":     {"0\x00", Depth16, 0, 1, true, true},
		"out of range": {"-9999\x00", Depth16, 0, 1, true, false},
		"no number":    {"none\x00", Depth16, 0, 1, false, false},
		"NaN":          {"nan\x00", DepthFloat32, 0, 1, false, false},
		"infinite":     {"-inf\x00", DepthFloat32, 0, 1, false, false},
		"empty":        {"\x00", DepthFloat32, 0, 1, false, false},
	} {
		img := newImage(2, 1, 1, noAlpha, c.depth, TIFF)
		if c.level >= -2 && c.level <= 1 { // else it is written with another white
			img.Planes[0][1] = c.level
		}
		got := must.Get(Decode(withNoData(t, img, c.text), ReadOptions{White: c.white}))(t)
		v := got.NoDataSamples(0, c.white)
		if (got.NoData != nil) != c.has || (len(v) == 1) != c.sample || c.sample && v[0] != c.level {
			t.Errorf("%s: %v, %g", name, got.NoData, v)
		}
	}
}

// In planes that a file stores inverted, the level is inverted as well, and alpha is not counted.
func TestNoDataOfPlanes(t *testing.T) {
	img := newImage(1, 1, 4, withAlpha, Depth8, TIFF) // inks
	img.Extra = [][]float32{{0}}
	img.NoData = []float64{255, 300, 0}
	for plane, want := range []float32{0, 0, 0, 0, 1} {
		if v := img.NoDataSamples(plane, 0); !slices.Equal(v, []float32{want, 1 - want}) {
			t.Errorf("plane %d: %g", plane, v)
		}
	}
	img.Planes[0][0] = 1
	if got := img.LacksNoData([]float64{0, 255, 300, 7}, 0); !slices.Equal(got, []float64{300, 7}) {
		t.Errorf("lacks %g", got)
	}
}

// Levels that are given count for files of any kind.
func TestNoDataGiven(t *testing.T) {
	img := newImage(2, 1, 1, noAlpha, Depth8, PNG)
	var file bytes.Buffer
	must.Do(t, Encode(&file, img, WriteOptions{}))
	got, err := Decode(file.Bytes(), ReadOptions{NoData: []float64{7, 8}})
	if err != nil || !slices.Equal(got.NoData, []float64{7, 8}) {
		t.Errorf("%v, %v", got, err)
	}
	must.Fail(t, "NaN", must.Err(Decode(file.Bytes(), ReadOptions{NoData: []float64{1, math.NaN()}})), ErrArgument)
}
