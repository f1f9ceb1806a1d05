package paper

import (
	"context"
	"fmt"
	"math"

	"github.com/blorc-denoise/blorc-denoise/paper/report"
)

// Setting holds the options that all experiments of a run share.
type Setting struct {
	// share of the paper's numbers of steps, trials and images, over 0 to 1; experiments have lower limits
	Effort  float64
	Page    bool   // use the effort of the page in paper/results instead, which differs between experiments
	Data    string // folder with urban100/train, urban100/val and set12; "" = drawn images
	Seed    uint64
	Workers int                              // number of goroutines; 0 = one for each processor
	Parts   string                           // folder for finished steps of an unfinished experiment; "" = keep none
	Log     func(format string, args ...any) // progress messages
}

// count returns full times the effort, rounded, but at least least.
func (s Setting) count(full, least int) int {
	return min(full, max(least, int(math.Round(s.Effort*float64(full)))))
}

// Experiment makes one section of the report.
type Experiment struct {
	Name, Title, Label string  // see report.Section
	NeedsData          bool    // it cannot use drawn images instead of a folder of data
	page               float64 // effort for the page in paper/results
	run                func(ctx context.Context, s Setting, sec *sectionBuilder) error
}

// Experiments returns all experiments in the order of the report.
func Experiments() []Experiment {
	return []Experiment{
		{Name: "conventions", Title: "Where the paper contradicts itself",
			Label: "closed-form, eq:closed_form, blockmat, and throughout", page: 1, run: conventions},
		{Name: "gradients", Title: "Gradients: time, error and memory of each method",
			Label: "corollary, eq:grad1, eq:except, comp_table, sec:compcvx, table:compare", page: 0.5, run: gradients},
		{Name: "patterns", Title: "Sign patterns",
			Label: "sec:locan, fig:signs, section:ortho, section:Stiefel, fig:1dcase", page: 0.1, run: patterns},
		{Name: "signals", Title: "One-dimensional signals: learned and analytic transforms",
			Label: "eq:upper-level, eq:lower-level, alg:1, fig:lertran", page: 0.1, run: signals},
		{Name: "long", Title: "One-dimensional signals: a long training", Label: "alg:1, fig:lertran", page: 0.5,
			run: long},
		{Name: "unsupervised", Title: "Supervised against unsupervised learning", Label: "fig:unsup", page: 0.1,
			run: unsupervised},
		{Name: "huber", Title: "The l1 norm against a smooth penalty",
			Label: "sec:comp-penalty, eq:bibeta, eq:lower-level-huber, fig:hubercomps", page: 0.05, run: hubers},
		{Name: "open", Title: "What the paper leaves open, and what decides the outcome", Label: "not in the paper",
			page: 0.05, run: open},
		{Name: "levels", Title: "Eight noise levels", Label: "section:noise-levels, fig:noiselevels, fig:loss",
			page: 0.15, run: levels},
		{Name: "stripes", Title: "Images of stripes", Label: "fig:imagestrips", page: 0.05, run: stripes},
		{Name: "urban", Title: "Images of buildings", Label: "fig:urban100, Tab:image_Table, Tab:Comparedenoise",
			page: 0.4, run: urban},
		{Name: "set12", Title: "BM3D is BM3D", Label: "not in the paper", NeedsData: true, page: 1, run: set12},
	}
}

// makeSection runs the experiment and returns its section.
func (e Experiment) makeSection(ctx context.Context, s Setting) (report.Section, error) {
	if s.Page {
		s.Effort = e.page
	}
	sec := &sectionBuilder{Section: report.Section{Name: e.Name, Title: e.Title, Label: e.Label, Seed: s.Seed},
		parts: s.Parts}
	sec.Command = fmt.Sprintf("blorc-paper --only %s --effort %g --seed %d", e.Name, s.Effort, s.Seed)
	if s.Data != "" {
		sec.Command += " --data DIR"
	}
	sec.Load = loadAverage()
	start := now()
	if err := e.run(ctx, s, sec); err != nil {
		return report.Section{}, fmt.Errorf("%s: %w", e.Name, err)
	}
	sec.add(start.until(now()))
	return sec.Section, sec.err
}

// sectionBuilder collects the contents of a section. It keeps the first error of drawing a figure.
type sectionBuilder struct {
	report.Section
	parts string // see Setting.Parts
	err   error
}

// add adds to the time that the section has taken.
func (sec *sectionBuilder) add(t timing) {
	sec.Seconds += t.Elapsed
	sec.Processor += t.Processor
}

// say adds a paragraph.
func (sec *sectionBuilder) say(format string, args ...any) {
	sec.Text = append(sec.Text, fmt.Sprintf(format, args...))
}

func (sec *sectionBuilder) table(t report.Table) { sec.Tables = append(sec.Tables, t) }

func (sec *sectionBuilder) figure(caption string, pictures ...report.Picture) {
	sec.Figures = append(sec.Figures, report.Figure{Caption: caption, Pictures: pictures})
}

func (sec *sectionBuilder) lines(a report.Axes, series ...report.Series) report.Picture {
	return sec.check(report.Lines(a, series...))
}

// check keeps the error of a drawing, if it is the first, and returns the picture.
func (sec *sectionBuilder) check(p report.Picture, err error) report.Picture {
	if sec.err == nil {
		sec.err = err
	}
	return p
}

// number formats a value with two decimals.
func number(v float64) string {
	if math.IsInf(v, 1) {
		return "∞"
	}
	return fmt.Sprintf("%.2f", v)
}

// twoDigits formats a value with two significant digits.
func twoDigits(v float64) string { return fmt.Sprintf("%.2g", v) }

// signedDifference formats v - reference with its sign and two decimals.
func signedDifference(v, reference float64) string {
	return fmt.Sprintf("%+.2f", noMinusZero(v-reference))
}

// noMinusZero returns v, or 0 if v would print as -0.00 or 0.00.
func noMinusZero(v float64) float64 {
	if math.Abs(v) < 0.005 {
		return 0
	}
	return v
}
