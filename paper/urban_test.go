package paper

import (
	"math"
	"strings"
	"testing"
)

func TestLeadIsOverAllImages(t *testing.T) {
	m := levelResult{sigma: 25.5, columns: []string{"bm3d", blorcScaled},
		images: [][]float64{{26, 27}, {28, 27.5}, {30, 31}}}
	l := m.lead(blorcScaled, "bm3d")
	if math.Abs(l.mean-0.5) > 1e-12 || math.Abs(l.deviation-0.5) > 1e-12 || l.ahead != 2 || l.of != 3 {
		t.Errorf("%+v", l)
	}
	if got := m.mean("bm3d"); got != 28 {
		t.Errorf("mean %g", got)
	}
}

func TestFromPaper(t *testing.T) {
	for _, c := range []struct {
		sigma  float64
		column string
		want   float64
		known  bool
	}{{38.25, blorcJoint, 24.16, true}, {25.5, blorcStacked, 26.17, true}, {25.5, "bm3d", 26.83, true},
		{38.25, "tv", 0, false}} {
		if got, known := fromPaper(c.sigma, c.column); got != c.want || known != c.known {
			t.Errorf("%g, %s: %g, %v", c.sigma, c.column, got, known)
		}
	}
}

// The answer depends on whether BLORC is ahead at the high level and behind at the low one.
func TestVerdict(t *testing.T) {
	level := func(sigma, bm3d, aksvd, own float64) levelResult {
		return levelResult{sigma: sigma, columns: []string{"bm3d", "aksvd", blorcScaled, blorcJoint},
			images: [][]float64{{bm3d, aksvd, own, own}, {bm3d, aksvd, own, own}}}
	}
	u := urbanRun{sec: &sectionBuilder{}}
	u.verdict(level(38.25, 25, 23, 24), level(25.5, 28, 26, 25.5))
	if len(u.sec.Text) != 3 || !strings.Contains(u.sec.Text[0], "does not hold") ||
		!strings.Contains(u.sec.Text[1], "That holds here") {
		t.Errorf("%q", u.sec.Text)
	}
	if rows := u.sec.Tables[1].Rows; len(rows) != 4 || rows[0][1] != "3.00" || rows[0][2] != "3.11" ||
		rows[2][1] != "1.50" {
		t.Errorf("%q", rows)
	}
	if rows := u.sec.Tables[0].Rows; len(rows) != 4 || rows[0][2] != "-1.00 ± 0.00, ahead on 0 of 2" ||
		rows[0][4] != "+1.50" || rows[0][5] != "+0.44" {
		t.Errorf("%q", rows)
	}
}
