package main

import (
	"fmt"
	"image/png"
	"io"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/model"
	"github.com/blorc-denoise/blorc-denoise/models"
)

func newModel(u *ui) *cobra.Command {
	return group("model", "List, inspect and verify models", newModelList(u), newModelInfo(u), newModelVerify(u),
		newModelFilters(u))
}

func newModelList(u *ui) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the models inside the program", Args: noArguments,
		Long: `List the models inside the program. You can choose those whose use is "--model NAME"; the program then takes the one with the
nearest sigma. The others refine the results of these, and are chosen with them.`,
		RunE: func(*cobra.Command, []string) error {
			w := tabwriter.NewWriter(u.out, 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "name\tsigma\tuse\tstages")
			for _, e := range models.List() {
				m, err := e.Load()
				if err != nil {
					return err
				}
				fmt.Fprintf(w, "%s\t%g\t%s\t%s\n", e.Name, e.Sigma, use(e.Name), describe(m))
			}
			for _, e := range models.Networks() {
				fmt.Fprintf(w, "%s\tall\tpart of %s\tU-Net\n", e.Name, models.Default)
			}
			return w.Flush()
		},
	}
}

// use says how models of a name are chosen.
func use(name string) string {
	switch {
	case !models.Refines(name):
		return "--model " + name
	case name == models.BroadLuma || name == models.BroadChroma:
		return "part of " + models.Default + ", " + models.Local
	}
	return "part of " + models.Default
}

// describe lists the stages of a model.
func describe(m *model.Model) string {
	text := describeStages(m.Stages)
	if len(m.Chroma) > 0 {
		text += "; for chroma " + describeStages(m.Chroma)
	}
	return text
}

func describeStages(stages stage.Sequence) string {
	text := ""
	for i, s := range stages {
		if i > 0 {
			text += ", "
		}
		text += s.Kind()
		t := s.Filters()
		if len(t) == 0 {
			continue
		}
		text += fmt.Sprintf(" %d x %d", t[0].K, t[0].N)
		if len(t) > 1 {
			text = fmt.Sprintf("%s (%d transforms)", text, len(t))
		}
	}
	return text
}

// sigmaFlag adds a flag that chooses one of several shipped models by its noise level.
func sigmaFlag(c *cobra.Command) *float64 {
	return c.Flags().Float64P("sigma", "s", 25.5,
		"noise in gray `LEVELS` of 0-255, which chooses the nearest shipped model")
}

func loadModel(name string, sigma float64) (*model.Model, error) {
	if !(sigma > 0) {
		return nil, usage("--sigma must be positive")
	}
	if isModelFile(name) {
		m, err := model.Load(name)
		if err != nil {
			return nil, fileError{name, err}
		}
		return m, nil
	}
	family, err := models.Named(name)
	if err != nil {
		return nil, unknownModel(name, err)
	}
	return family.Choose(sigma)
}

var oneModel = exactly(1, "exactly one model is needed")

func newModelInfo(u *ui) *cobra.Command {
	c := &cobra.Command{
		Use: "info NAME|FILE", Short: "Show what a model is and how it was trained", Args: oneModel,
		Example: "  blorc-denoise model info local --sigma 15\n  blorc-denoise model info mine.safetensors",
	}
	sigma := sigmaFlag(c)
	c.RunE = func(_ *cobra.Command, args []string) error {
		m, err := loadModel(args[0], *sigma)
		if err != nil {
			return err
		}
		w := tabwriter.NewWriter(u.out, 0, 0, 2, ' ', 0)
		for _, row := range [][2]string{
			{"name", m.Name}, {"sigma", fmt.Sprintf("%.4g gray levels of 0-255", m.Sigma)}, {"plane", m.Plane},
			{"stages", describe(m)},
			{"training", inWords(m.Training)}, {"seed", fmt.Sprint(m.Seed)}, {"validation", validation(m)},
			{"licence", m.Licence},
		} {
			fmt.Fprintf(w, "%s\t%s\n", row[0], oneLine(row[1]))
		}
		return w.Flush()
	}
	return c
}

func validation(m *model.Model) string {
	if m.ValidationPSNR == 0 {
		return "none"
	}
	return fmt.Sprintf("%.2f dB on %s", m.ValidationPSNR, m.Validation)
}

func newModelVerify(u *ui) *cobra.Command {
	return &cobra.Command{
		Use:   "verify [FILE...]",
		Short: "Check model files, or the models inside the program",
		Args:  cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			var t tally
			check := func(name string, err error) {
				if err != nil {
					t.fail(u, name, err)
					return
				}
				t.done++
				fmt.Fprintf(u.out, "%s: ok\n", oneLine(name))
			}
			for _, path := range args {
				_, err := model.Load(path)
				check(path, err)
			}
			if len(args) > 0 {
				return t.err()
			}
			for _, e := range models.List() {
				_, err := e.Load()
				check(fmt.Sprintf("%s %g", e.Name, e.Sigma), err)
			}
			for _, e := range models.Networks() {
				check(e.Name, e.Check())
			}
			return t.err()
		},
	}
}

func newModelFilters(u *ui) *cobra.Command {
	c := &cobra.Command{
		Use: "filters NAME|FILE -o FILE.png", Short: "Draw the learned filters of a model", Args: oneModel,
		Long: `Draw the rows of a model's transforms as patches. Each has its own scale, with gray for zero. The filters of one transform
are sorted by strength. For a union of transforms, each row of the picture shows the strongest filters of one cluster.`,
		Example: "  blorc-denoise model filters local --sigma 25.5 -o filters.png",
	}
	sigma := sigmaFlag(c)
	output := c.Flags().StringP("output", "o", "", "PNG file to write")
	stage := c.Flags().Int("stage", 0, "stage to draw, counted from 1 (default the last)")
	zoom := c.Flags().Int("zoom", 4, "pixels for each sample of a filter")
	overwrite := c.Flags().Bool("overwrite", false, "replace the output if it exists")
	c.RunE = func(_ *cobra.Command, args []string) error {
		m, err := loadModel(args[0], *sigma)
		if err != nil {
			return err
		}
		switch {
		case *output == "":
			return usage("no output file given (-o)")
		case !strings.EqualFold(filepath.Ext(*output), ".png"):
			return usage("the picture %s is not named .png", *output)
		case *zoom < 1 || *zoom > 64:
			return usage("--zoom must be between 1 and 64")
		case *stage < 0 || *stage > len(m.Stages):
			return usage("the model has %d stages", len(m.Stages))
		case *stage == 0:
			*stage = len(m.Stages)
		}
		s := m.Stages[*stage-1]
		if len(s.Filters()) == 0 {
			return usage("stage %d, %s, has no filters", *stage, s.Kind())
		}
		picture := drawFilters(s, *zoom)
		return writeNamed(*output, *overwrite, func(w io.Writer) error { return png.Encode(w, picture) })
	}
	return c
}
