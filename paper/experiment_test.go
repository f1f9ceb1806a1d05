package paper

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/paper/report"
)

// Every experiment runs on drawn images, has tables or figures, and survives JSON.
func TestExperimentsRun(t *testing.T) {
	for _, e := range Experiments() {
		if e.NeedsData {
			continue
		}
		t.Run(e.Name, func(t *testing.T) {
			section, err := e.makeSection(context.Background(), quiet(1e-6))
			if err != nil {
				t.Fatal(err)
			}
			if len(section.Tables)+len(section.Figures) == 0 || !strings.Contains(section.Command, e.Name) {
				t.Errorf("an empty section: %+v", section)
			}
			for _, table := range section.Tables {
				for _, row := range table.Rows {
					if len(row) != len(table.Head) {
						t.Errorf("table %q: %d cells, but %d columns: %v", table.Caption, len(row), len(table.Head),
							row)
					}
					if strings.Contains(strings.Join(row, " "), "NaN") {
						t.Errorf("table %q: %v", table.Caption, row)
					}
				}
			}
			data, err := json.Marshal(section)
			var back report.Section
			if err != nil || json.Unmarshal(data, &back) != nil {
				t.Error(err)
			}
		})
	}
}

// The statements of the section on conventions hold.
func TestConventions(t *testing.T) {
	if with, without := conventionErrors(1); with > 1e-9 || without < 0.01 {
		t.Errorf("distance of the closed form from the minimizer: %g with the 1/2, %g without", with, without)
	}
	if whole, half := nonzeroShare(1, 1), nonzeroShare(0.5, 1); whole > 0.15 || half < 0.4 {
		t.Errorf("share of samples that are not zero: %g at I, %g at I/2", whole, half)
	}
	p := piecewiseConstant(64, 3, 6).draw(50, 0, 1)
	if strong, weak := noiselessLoss(p, 0.15), noiselessLoss(p, 0.0015); weak <= 0 || strong < 1000*weak {
		t.Errorf("loss of the finite differences without noise: %g, and %g at a hundredth of the strength", strong,
			weak)
	}
	if printed, corrected := blockInverse(1); corrected > 1e-9 || printed < 0.1 {
		t.Errorf("block inverse: %g as printed, %g corrected", printed, corrected)
	}
}

// Every table and figure of the paper has a section.
func TestTablesAndFiguresHaveSections(t *testing.T) {
	var labels []string
	for _, e := range Experiments() {
		labels = append(labels, strings.Split(e.Label, ", ")...)
	}
	for _, label := range []string{"comp_table", "fig:signs", "fig:lertran", "fig:unsup", "fig:imagestrips",
		"fig:urban100", "Tab:image_Table", "Tab:Comparedenoise",
		"table:compare", "fig:hubercomps", "fig:noiselevels", "fig:loss", "fig:1dcase"} {
		if !slices.Contains(labels, label) {
			t.Errorf("%s has no section", label)
		}
	}
}

func TestInterruptedExperimentsReturnAnError(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, e := range Experiments() {
		if e.Name == "conventions" || e.NeedsData {
			continue // takes only seconds, or needs data
		}
		if _, err := e.makeSection(ctx, quiet(1e-6)); err == nil {
			t.Errorf("%s returned no error", e.Name)
		}
	}
}
