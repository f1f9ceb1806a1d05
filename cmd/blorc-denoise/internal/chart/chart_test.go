package chart

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func svg(t interface{ Fatal(...any) }, c Chart) string {
	var b bytes.Buffer
	if err := c.WriteSVG(&b); err != nil {
		t.Fatal(err)
	}
	checkSVG(t, b.String())
	return b.String()
}

func TestChartHasItsParts(t *testing.T) {
	text := svg(t, Chart{Title: `a <b> & "c"`, X: "brightness", Y: "noise", Series: []Series{
		{Name: "blocks", Points: []Point{{0, 1}, {10, 2}, {5, math.NaN()}, {math.Inf(1), 1}}},
		{Name: "curve", Mark: Line, Colour: 1, Points: []Point{{0, 1}, {10, 2}}},
		{Name: "level", Mark: Dashes, Colour: 2, Points: []Point{{0, 3}, {10, 3}}},
	}})
	for _, want := range []string{"brightness", "noise", "blocks", "curve", "level", "a &lt;b&gt; &amp; &#34;c&#34;",
		"prefers-color-scheme:dark", "stroke-dasharray"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in the chart", want)
		}
	}
	if n := strings.Count(text, "<circle"); n != 3 { // two dots, and one in the legend
		t.Errorf("%d dots", n)
	}
}

// Any chart is well-formed XML, and shows no number that is not finite.
func TestChartsAreXML(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		points := rapid.SliceOf(rapid.Custom(func(t *rapid.T) Point {
			return Point{rapid.Float64().Draw(t, "x"),
				rapid.Float64().Draw(t, "y")}
		}))
		c := Chart{Title: rapid.String().Draw(t, "title"), X: rapid.String().Draw(t, "x"),
			Y: rapid.String().Draw(t, "y")}
		for range rapid.IntRange(0, 3).Draw(t, "series") {
			c.Series = append(c.Series, Series{rapid.String().Draw(t, "name"),
				Mark(rapid.IntRange(0, int(Area)).Draw(t, "mark")), rapid.IntRange(0, Colours-1).Draw(t, "colour"),
				points.Draw(t, "points")})
		}
		svg(t, c)
		checkSVG(t, c.forPage())
	})
}

func TestTicksAreRound(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{0, 255, "0 50 100 150 200 250 300"},
		{0, 0.7, "0 0.1 0.2 0.3 0.4 0.5 0.6 0.7"},
		{3, 3, "3.0 3.5 4.0 4.5 5.0 5.5 6.0"},
		{0, 0, "0 0.2 0.4 0.6 0.8 1.0"},
		{0, 65535, "0 10000 20000 30000 40000 50000 60000 70000"},
		{-47, 33, "-50 -40 -30 -20 -10 0 10 20 30 40"},
	} {
		a := newAxis(c.low, c.high, 8).rounded()
		var got []string
		for _, v := range a.ticks() {
			got = append(got, a.text(v))
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%g to %g: %s, want %s", c.low, c.high, text, c.want)
		}
	}
}
