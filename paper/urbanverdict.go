package paper

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/blorc-denoise/blorc-denoise/paper/report"
)

// levelResult holds the PSNR in dB of all test images with all methods at one noise level.
type levelResult struct {
	sigma   float64     // in gray levels of 0-255
	columns []string    // names of methods
	images  [][]float64 // by image, then by column
}

// column returns the PSNR of each image with one method.
func (m levelResult) column(name string) []float64 {
	at := slices.Index(m.columns, name)
	out := make([]float64, len(m.images))
	for i, row := range m.images {
		out[i] = row[at]
	}
	return out
}

// mean returns the mean PSNR of one method.
func (m levelResult) mean(name string) float64 { return stat.Mean(m.column(name), nil) }

// lead is how far one method is ahead of another.
type lead struct {
	mean, deviation float64 // mean over the images and its standard error, in dB
	ahead, of       int     // number of images on which it is ahead, and of all images
}

// lead returns how far one method is ahead of the other.
func (m levelResult) lead(name, other string) lead {
	l := lead{of: len(m.images)}
	others := m.column(other)
	differences := m.column(name)
	for i := range differences {
		if differences[i] -= others[i]; differences[i] > 0 {
			l.ahead++
		}
	}
	l.mean = stat.Mean(differences, nil)
	if l.of > 1 {
		l.deviation = stat.StdDev(differences, nil) / math.Sqrt(float64(l.of))
	}
	return l
}

func (l lead) String() string {
	return fmt.Sprintf("%+.2f ± %.2f, ahead on %d of %d", noMinusZero(l.mean), l.deviation, l.ahead, l.of)
}

// compare adds a table of mean PSNR.
func (u urbanRun) compare(m levelResult) {
	t := report.Table{Caption: fmt.Sprintf("Tab:Comparedenoise, sigma %g: mean PSNR in dB. The paper used other "+
		"images, so compare the columns \"against bm3d\".", m.sigma),
		Head: []string{"method", "PSNR", "against bm3d", "paper", "difference", "paper, against bm3d"}}
	bm3d, _ := fromPaper(m.sigma, "bm3d")
	for _, name := range m.columns {
		row := []string{name, number(m.mean(name)), signedDifference(m.mean(name), m.mean("bm3d")), "", "", ""}
		if p, ok := fromPaper(m.sigma, name); ok {
			copy(row[3:], []string{number(p), signedDifference(m.mean(name), p), signedDifference(p, bm3d)})
		}
		t.Add(row...)
	}
	u.sec.table(t)
}

// verdict answers whether the paper's pattern holds: BLORC is ahead at the high noise level and behind at the low one.
func (u urbanRun) verdict(high, low levelResult) {
	t := report.Table{Caption: "How far BLORC is ahead, in dB: mean over the test images, its standard error, and on " +
		"how many images",
		Head: []string{"method", "against", "sigma 38.25", "sigma 25.5", "high minus low", "paper, 38.25",
			"paper, 25.5", "paper, high minus low"}}
	for _, other := range []string{"bm3d", "aksvd"} {
		stated := func(m levelResult) float64 {
			own, _ := fromPaper(m.sigma, blorc)
			p, _ := fromPaper(m.sigma, other)
			return own - p
		}
		var found []string
		holds := false
		for _, name := range []string{blorcScaled, blorcJoint} {
			h, l := high.lead(name, other), low.lead(name, other)
			t.Add(name, other, h.String(), l.String(), signedDifference(h.mean, l.mean),
				signedDifference(stated(high), 0), signedDifference(stated(low), 0),
				signedDifference(stated(high), stated(low)))
			found = append(found, fmt.Sprintf("%s has %+.2f dB at sigma 38.25 and %+.2f dB at 25.5", name,
				noMinusZero(h.mean), noMinusZero(l.mean)))
			holds = holds || h.mean > 0 && l.mean < 0
		}
		answer := "That does not hold here"
		if holds {
			answer = "That holds here for at least one of the two"
		}
		u.sec.say("In the paper BLORC is ahead of %s at the high noise level, by %+.2f dB, and behind it at the low "+
			"one, by %+.2f dB. %s: %s.", other, stated(high), stated(low), answer, strings.Join(found, ", "))
	}
	u.sec.Tables = slices.Insert(u.sec.Tables, 0, t, u.cost(high, low)) // before the tables that they summarize
}

// cost returns a table of how much PSNR each method loses with stronger noise.
func (u urbanRun) cost(high, low levelResult) report.Table {
	t := report.Table{Caption: "What sigma 38.25 costs against 25.5, in dB of mean PSNR",
		Head: []string{"method", "here", "paper", "difference"}}
	cost := map[string]float64{}
	stated := func(name string) float64 {
		h, _ := fromPaper(high.sigma, name)
		l, _ := fromPaper(low.sigma, name)
		return l - h
	}
	for _, name := range []string{"bm3d", "aksvd", blorcScaled, blorcJoint} {
		cost[name] = low.mean(name) - high.mean(name)
		t.Add(name, number(cost[name]), number(stated(name)), signedDifference(cost[name], stated(name)))
	}
	u.sec.say("At sigma 38.25 the noise is stronger by %.2f dB. In the paper BM3D and Analysis K-SVD lose %.2f and "+
		"%.2f dB of PSNR, and BLORC %.2f dB. Here BM3D and Analysis K-SVD lose %.2f and %.2f dB, and the scaled "+
		"stack %.2f dB. "+
		"So BLORC is ahead at the high level in the paper because the two other methods lose more there than they do "+
		"here.",
		20*math.Log10(high.sigma/low.sigma), stated("bm3d"), stated("aksvd"), stated(blorcScaled), cost["bm3d"],
		cost["aksvd"], cost[blorcScaled])
	return t
}
