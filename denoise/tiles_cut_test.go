package denoise

import (
	"testing"

	"pgregory.net/rapid"
)

// Tiles cover an axis without gaps, windows fit if they can, and one tile is enough for a plane that fits.
func TestCutPlane(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		align := rapid.SampledFrom([]int{1, 48, 192, 960}).Draw(t, "align")
		tiles := &tiler{align: align, margin: rapid.IntRange(0, 800).Draw(t, "margin")}
		width, height := rapid.IntRange(1, 20_000).Draw(t, "width"), rapid.IntRange(1, 20_000).Draw(t, "height")
		columns, rows := tiles.cutPlane(width, height)
		for _, axis := range []struct {
			tiles  []span
			length int
		}{{columns, width}, {rows, height}} {
			at := 0
			for _, s := range axis.tiles {
				short := s.len() < 1 || s.to < axis.length && s.len() < tiles.margin
				if s.from != at || short || tiles.widen(s, axis.length).from%align != 0 {
					t.Fatalf("%v of %d", axis.tiles, axis.length)
				}
				at = s.to
			}
			if at != axis.length {
				t.Fatalf("%v of %d", axis.tiles, axis.length)
			}
		}
		if width*height <= maxWindow && len(columns)*len(rows) > 1 {
			t.Fatalf("%d x %d tiles for %d x %d samples", len(columns), len(rows), width, height)
		}
		widest, _ := tiles.windows(columns, width)
		highest, _ := tiles.windows(rows, height)
		smallest := 1
		for _, length := range []int{width, height} {
			smallest *= min(length, roundUp(max(tiles.margin, 1), align)+2*tiles.margin)
		}
		if widest*highest > max(maxWindow, smallest) {
			t.Fatalf("a window of %d x %d samples", widest, highest)
		}
	})
}

// The margins of a photograph of 24 megapixels at balanced quality once were nearly as much work as the picture.
func TestCutPlaneKeepsMarginsSmall(t *testing.T) {
	tiles := &tiler{align: 192, margin: 599}
	columns, rows := tiles.cutPlane(6000, 4000)
	_, wide := tiles.windows(columns, 6000)
	_, high := tiles.windows(rows, 4000)
	if work := float64(wide*high) / (6000 * 4000); work > 1.6 {
		t.Errorf("%v and %v: windows have %.2f times the samples of the plane", columns, rows, work)
	}
}
