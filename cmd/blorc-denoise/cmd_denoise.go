package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/models"
)

type denoiseFlags struct {
	read      readFlags
	solver    solverFlags
	sigma     sigmaValue
	model     string
	output    string
	overwrite string
	quality   int
}

// newDenoise is the root command.
func newDenoise(u *ui) *cobra.Command {
	f := denoiseFlags{sigma: denoise.EstimateSigma}
	c := &cobra.Command{
		Use:   program + " FILE...",
		Short: "Remove noise from image files",
		Long: `Remove noise from PNG, JPEG and TIFF files with learned analysis operators.

The noise level is estimated from each file unless --sigma gives it. Without -o, the result of photo.png is written
beside it as photo-denoised.png. Bit depth and alpha are kept. Inputs are never changed.

` + exitHelp,
		Example: `  blorc-denoise photo.jpg
  blorc-denoise scan.tif -o clean.tif --sigma 12
  blorc-denoise *.png -o cleaned/ --strength 0.8
  blorc-denoise stack.tif -o out.tif --white 255 --model mine.safetensors`,
		Args: atLeastOne("file"),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c.Context(), u, args) },
	}
	flags := c.Flags()
	flags.StringVarP(&f.output, "output", "o", "", "output `FILE`, or folder if there are several inputs or it ends in a slash")
	flags.VarP(&f.sigma, "sigma", "s", "standard deviation of the noise in grey levels of 0-255, whatever the bit depth, or auto")
	flags.StringVarP(&f.model, "model", "m", models.Default, "`NAME` of a shipped model (see 'model list'), or a model file")
	flags.StringVar(&f.overwrite, "overwrite", "never", "never or always replace files that exist")
	flags.IntVar(&f.quality, "jpeg-quality", 95, "quality of JPEG files, 1 to 100")
	f.solver.add(flags)
	f.read.add(flags)
	return c
}

func (f *denoiseFlags) check() error {
	if f.overwrite != "never" && f.overwrite != "always" {
		return usage("--overwrite must be never or always")
	}
	if f.quality < 1 || f.quality > 100 {
		return usage("--jpeg-quality must be between 1 and 100")
	}
	return f.read.check()
}

func (f *denoiseFlags) run(ctx context.Context, u *ui, inputs []string) error {
	if err := f.check(); err != nil {
		return err
	}
	outputs, err := f.outputs(inputs)
	if err != nil {
		return err
	}
	chosen, err := chooser(f.model)
	if err != nil {
		return err
	}
	o, err := f.solver.options(chosen, float64(f.sigma))
	if err != nil {
		return err
	}
	saveMemory()
	var t tally
	for i, in := range inputs {
		u.show("[%d/%d] %s", i+1, len(inputs), in)
		if err := f.file(ctx, u, in, outputs[i], o); err != nil {
			t.codes = append(t.codes, u.fail(in, err))
			if ctx.Err() != nil {
				break
			}
			continue
		}
		t.done++
	}
	if code := t.code(); code != exitOK {
		if len(inputs) > 1 {
			u.say("%d of %d files done, %d failed", t.done, len(inputs), len(t.codes))
		}
		return silent(code)
	}
	return nil
}

// saveMemory keeps the garbage small against the image: there is little of it, and it is few large blocks.
func saveMemory() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(20)
	}
}

// file denoises one file and tells about it.
func (f *denoiseFlags) file(ctx context.Context, u *ui, in, out string, o denoise.Options) error {
	if sameFile(in, out) {
		return fmt.Errorf("%w: the output would replace the input", errMismatch)
	}
	always := f.overwrite == "always"
	if _, err := os.Lstat(out); err == nil && !always { // before the work, not only after it
		return exists(out)
	}
	format, _ := imageio.FormatOf(out)
	start := time.Now()
	r, err := denoise.File(ctx, in, out, o, f.read.ReadOptions,
		imageio.WriteOptions{Format: format, Quality: f.quality, White: f.read.White, Overwrite: always})
	if err != nil {
		if errors.Is(err, os.ErrExist) {
			return exists(out)
		}
		return err
	}
	how, model := "given", "model "+r.Model
	if r.Estimated {
		how = "estimated"
	}
	if r.Model == "" {
		model = "nothing to remove"
	}
	u.say("%s -> %s (sigma %.1f %s, %s, %.1f s)", in, out, r.Sigma, how, model, time.Since(start).Seconds())
	return nil
}

func exists(path string) error {
	return fmt.Errorf("%w: %s (see --overwrite)", os.ErrExist, path)
}

// outputs decides all output names before any work, and refuses two inputs with one output.
func (f *denoiseFlags) outputs(inputs []string) ([]string, error) {
	folder, err := f.outputIsFolder(len(inputs))
	if err != nil {
		return nil, err
	}
	outputs := make([]string, len(inputs))
	from := map[string]string{}
	for i, in := range inputs {
		switch {
		case folder:
			outputs[i] = filepath.Join(f.output, filepath.Base(in))
		case f.output != "":
			outputs[i] = f.output
		default:
			ext := filepath.Ext(in)
			outputs[i] = strings.TrimSuffix(in, ext) + "-denoised" + ext
		}
		if other, ok := from[outputs[i]]; ok {
			return nil, usage("%s and %s would both be written to %s", other, in, outputs[i])
		}
		from[outputs[i]] = in
		if _, ok := imageio.FormatOf(outputs[i]); !ok && f.output != "" && !folder {
			return nil, usage("the output %s is not named .png, .jpg, .jpeg, .tif or .tiff", outputs[i])
		}
	}
	return outputs, nil
}

// outputIsFolder tells and makes the folder if it has to.
func (f *denoiseFlags) outputIsFolder(inputs int) (bool, error) {
	if f.output == "" {
		return false, nil
	}
	info, err := os.Stat(f.output)
	if err == nil && !info.IsDir() && inputs > 1 {
		return false, usage("the output %s of several inputs is not a folder", f.output)
	}
	if err == nil && info.IsDir() {
		return true, nil
	}
	if inputs > 1 || os.IsPathSeparator(f.output[len(f.output)-1]) {
		return true, os.MkdirAll(f.output, 0o777)
	}
	return false, nil
}

func sameFile(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}
