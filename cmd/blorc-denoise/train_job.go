package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/blorc-denoise/blorc-denoise/model"
	"github.com/blorc-denoise/blorc-denoise/train"
)

// training is a recipe with its data.
type training interface {
	fingerprint() string
	train(context.Context, *train.Trainer) (*model.Model, error)
	describe() (recipe any, noise string)
	images(i int) int               // number of images of the i-th --clean
	validated(folder string) string // images that the PSNR of the model was measured on
	hasShortSteps() bool            // many of them, so that reports and checkpoints are seldom
	// compare measures the noisy validation images, the shipped models and the trained one. It says what the images
	// are, in words.
	compare(ctx context.Context, m *model.Model) (images string, scores []modelScores, err error)
}

// beforeWork returns the checkpoint to go on from, if there is one, and checks that the folder of the output takes
// files.
func (f *trainFlags) beforeWork() (saved []byte, err error) {
	if f.resume {
		if saved, err = os.ReadFile(f.checkpoint); err != nil {
			return nil, err
		}
	}
	try, err := os.CreateTemp(filepath.Dir(f.output), ".blorc-*")
	if err != nil {
		return nil, fileError{f.output, err}
	}
	try.Close()
	return saved, os.Remove(try.Name())
}

func (f *trainFlags) train(ctx context.Context, t *train.Trainer, job training, saved []byte) (*model.Model, error) {
	if err := t.Resume(job.fingerprint(), saved); err != nil {
		return nil, fileError{f.checkpoint, err}
	}
	m, err := job.train(ctx, t)
	if err != nil {
		return nil, err
	}
	m.Training = strings.TrimSpace(m.Training + " " + f.provenance(job))
	m.Licence = f.licence
	m.Validation = job.validated(base(f.validation))
	return m, nil
}

// provenance says how the model was made. It names the last two parts of paths only.
func (f *trainFlags) provenance(job training) string {
	var sources []string
	for i, c := range f.clean {
		sources = append(sources, fmt.Sprintf("%s (%d)", base(c), job.images(i)))
	}
	recipe, noise := job.describe()
	return fmt.Sprintf("Trained on %s with %s, by %s recipe %+v.", strings.Join(sources, ", "), noise, program, recipe)
}

// base returns the last two parts of a path.
func base(path string) string {
	parts := strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == os.PathSeparator })
	return strings.Join(parts[max(0, len(parts)-2):], "/")
}

// trainer reports to the terminal and the metrics file and saves checkpoints.
func (f *trainFlags) trainer(u *ui, job training, metrics *metricsFile) *train.Trainer {
	f.kept = f.resume
	t := &train.Trainer{Save: f.save}
	if job.hasShortSteps() {
		t.ReportEvery, t.SaveEvery = 250, 500
	}
	t.Report = func(p train.Progress) {
		if line := describeProgress(p); u.terminal && p.Step < p.Steps {
			u.show("%s", line)
		} else {
			u.say("%s", line)
		}
		if err := metrics.add(p); err != nil {
			u.fail(f.metrics, err)
		}
	}
	return t
}

// save writes the checkpoint.
func (f *trainFlags) save(data []byte) error {
	if err := writeBytes(f.checkpoint, true, data); err != nil {
		return fileError{f.checkpoint, err}
	}
	f.kept = true
	return nil
}

func describeProgress(p train.Progress) string {
	line := fmt.Sprintf("%s: step %d of %d, loss %.4f", p.Phase, p.Step, p.Steps, p.Loss)
	if p.Validation > 0 {
		line += fmt.Sprintf(", validation %.4f", p.Validation)
	}
	line += fmt.Sprintf(", %.0f samples/s, %s left", p.PerSecond, duration(p.RemainingSec))
	if p.Exact < 1 {
		line += fmt.Sprintf(", %.3f %% not exact", 100*(1-p.Exact))
	}
	return line
}

func duration(seconds float64) string {
	s := int(seconds + 0.5)
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// write writes the model, and removes the checkpoint.
func (f *trainFlags) write(m *model.Model) error {
	data, err := m.Marshal()
	if err != nil {
		return err
	}
	if err := writeBytes(f.output, f.overwrite, data); err != nil {
		return fileError{f.output, err}
	}
	if err := os.Remove(f.checkpoint); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
