package paper

import (
	"context"
	"fmt"
	"math"

	"github.com/blorc-denoise/blorc-denoise/paper/report"
)

// Setting is what all experiments of a run share.
type Setting struct {
	Effort  float64 // 1 = as many steps, trials and images as the paper has; less = that share, but a few at least
	Page    bool    // each experiment has its own effort instead: that of the page in paper/results
	Data    string  // folder with urban100/train, urban100/val and set12; "" = drawn images
	Seed    uint64
	Workers int
	Parts   string // folder for what is done of an unfinished experiment; "" = nothing is kept
	Log     func(format string, args ...any)
}

// count scales a number by the effort.
func (s Setting) count(full, least int) int {
	return min(full, max(least, int(math.Round(s.Effort*float64(full)))))
}

// Experiment makes one section of the report.
type Experiment struct {
	Name, Title, Label string
	NeedsData          bool    // there is nothing to draw instead
	page               float64 // effort of the page in paper/results
	run                func(ctx context.Context, s Setting, sh *sheet) error
}

// Experiments are all of them, in the order of the paper; first what needs little time.
func Experiments() []Experiment {
	return []Experiment{
		{Name: "conventions", Title: "Where the paper contradicts itself", Label: "closed-form, eq:closed_form, blockmat, and throughout", page: 1, run: conventions},
		{Name: "gradients", Title: "Gradients: time, error and memory of each method", Label: "corollary, eq:grad1, eq:except, comp_table, sec:compcvx, table:compare", page: 0.5, run: gradients},
		{Name: "patterns", Title: "Sign patterns", Label: "sec:locan, fig:signs, section:ortho, section:Stiefel, fig:1dcase", page: 0.1, run: patterns},
		{Name: "signals", Title: "One-dimensional signals: learned and analytic transforms", Label: "eq:upper-level, eq:lower-level, alg:1, fig:lertran", page: 0.1, run: signals},
		{Name: "long", Title: "One-dimensional signals: a long training", Label: "alg:1, fig:lertran", page: 0.5, run: long},
		{Name: "unsupervised", Title: "Supervised against unsupervised learning", Label: "fig:unsup", page: 0.1, run: unsupervised},
		{Name: "huber", Title: "The l1 norm against a smooth penalty", Label: "sec:comp-penalty, eq:bibeta, eq:lower-level-huber, fig:hubercomps", page: 0.05, run: hubers},
		{Name: "open", Title: "What the paper leaves open, and what decides the outcome", Label: "not in the paper", page: 0.05, run: open},
		{Name: "levels", Title: "Eight noise levels", Label: "section:noise-levels, fig:noiselevels, fig:loss", page: 0.15, run: levels},
		{Name: "stripes", Title: "Images of stripes", Label: "fig:imagestrips", page: 0.05, run: stripes},
		{Name: "urban", Title: "Images of buildings", Label: "fig:urban100, Tab:image_Table, Tab:Comparedenoise", page: 0.4, run: urban},
		{Name: "set12", Title: "BM3D is BM3D", Label: "not in the paper", NeedsData: true, page: 1, run: set12},
	}
}

// Run makes the section.
func (e Experiment) Run(ctx context.Context, s Setting) (report.Section, error) {
	if s.Page {
		s.Effort = e.page
	}
	sh := &sheet{Section: report.Section{Name: e.Name, Title: e.Title, Label: e.Label, Seed: s.Seed}, parts: s.Parts}
	sh.Command = fmt.Sprintf("blorc-paper --only %s --effort %g --seed %d", e.Name, s.Effort, s.Seed)
	if s.Data != "" {
		sh.Command += " --data DIR"
	}
	sh.Load = loadAverage()
	start := now()
	if err := e.run(ctx, s, sh); err != nil {
		return report.Section{}, fmt.Errorf("%s: %w", e.Name, err)
	}
	sh.add(start.until(now()))
	return sh.Section, sh.err
}

// sheet is a section in the making. It keeps the first error of a drawing.
type sheet struct {
	report.Section
	parts string
	err   error
}

// add adds to the time that the section took.
func (sh *sheet) add(t taken) {
	sh.Seconds += t.Elapsed
	sh.Processor += t.Processor
}

func (sh *sheet) say(format string, args ...any) {
	sh.Text = append(sh.Text, fmt.Sprintf(format, args...))
}

func (sh *sheet) table(t report.Table) { sh.Tables = append(sh.Tables, t) }

func (sh *sheet) figure(caption string, pictures ...report.Picture) {
	sh.Figures = append(sh.Figures, report.Figure{Caption: caption, Pictures: pictures})
}

func (sh *sheet) lines(a report.Axes, series ...report.Series) report.Picture {
	return sh.check(report.Lines(a, series...))
}

func (sh *sheet) check(p report.Picture, err error) report.Picture {
	if sh.err == nil {
		sh.err = err
	}
	return p
}

// number and against format a figure of ours, and its difference from the paper's.
func number(v float64) string {
	if math.IsInf(v, 1) {
		return "∞"
	}
	return fmt.Sprintf("%.2f", v)
}
func small(v float64) string          { return fmt.Sprintf("%.2g", v) }
func against(v, paper float64) string { return fmt.Sprintf("%+.2f", hundredths(v-paper)) }

// hundredths rounds, and knows no -0.
func hundredths(v float64) float64 {
	if math.Abs(v) < 0.005 {
		return 0
	}
	return v
}
