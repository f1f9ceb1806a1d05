package imageio

import (
	"reflect"
	"testing"
)

func TestSeriesOf(t *testing.T) {
	ome := func(order, sizes string) string {
		return `<?xml version="1.0"?><OME xmlns="x"><Image><Pixels DimensionOrder="` + order + `" ` + sizes +
			` SizeX="9" SizeY="7"></Pixels></Image></OME>`
	}
	for name, c := range map[string]struct {
		description string
		pages       int
		want        [][]int
	}{
		"ImageJ in time": {"ImageJ=1.53\nimages=12\nchannels=2\nslices=3\nframes=2\n", 12,
			[][]int{{0, 6}, {1, 7}, {2, 8}, {3, 9}, {4, 10}, {5, 11}}},
		"ImageJ in depth":       {"ImageJ=1.53\nimages=6\nchannels=2\nslices=3\n", 6, [][]int{{0, 2, 4}, {1, 3, 5}}},
		"channels alone":        {"ImageJ=1.53\nimages=3\nchannels=3\n", 3, [][]int{{0}, {1}, {2}}},
		"OME, time is fastest":  {ome("XYTZC", `SizeC="2" SizeZ="1" SizeT="3"`), 6, [][]int{{0, 1, 2}, {3, 4, 5}}},
		"OME, channels fastest": {ome("XYCZT", `SizeC="2" SizeZ="1" SizeT="2"`), 4, [][]int{{0, 2}, {1, 3}}},
		"other number of pages": {"ImageJ=1.53\nimages=6\nchannels=2\nslices=3\n", 5, nil},
		"not said":              {"a picture", 4, nil},
		"an axis twice":         {ome("XYTTC", `SizeC="2" SizeT="2"`), 4, nil},
		"too long":              {"ImageJ=1\nchannels=1000000000\nslices=1000000000\nframes=1000000000\n", 1, nil},
		"negative":              {"ImageJ=1\nchannels=-2\nslices=-2\n", 4, nil},
	} {
		var got [][]int
		for _, s := range seriesOf(c.description, c.pages) {
			got = append(got, s.Pages)
			if s.Depth != (name == "ImageJ in depth" || name == "channels alone") {
				t.Errorf("%s: in depth: %v", name, s.Depth)
			}
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: series %v, want %v", name, got, c.want)
		}
	}
}

func FuzzSeriesOf(f *testing.F) {
	f.Add("ImageJ=1.53\nchannels=2\nslices=3\nframes=2\n", 12)
	f.Add(`<OME ><Pixels DimensionOrder="XYCZT" SizeC="2" SizeZ="1" SizeT="2">`, 4)
	f.Fuzz(func(t *testing.T, description string, pages int) {
		pages = min(max(pages, 1), 1000)
		seen := make([]bool, pages)
		for _, s := range seriesOf(description, pages) {
			for _, p := range s.Pages {
				if seen[p] {
					t.Fatalf("page %d twice", p)
				}
				seen[p] = true
			}
		}
	})
}
