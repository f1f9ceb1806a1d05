// Command blorc-against measures the shipped models and published denoisers on the same noisy pictures.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"text/tabwriter"

	"github.com/spf13/pflag"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/paper/baseline"
)

const usageText = `Usage: blorc-against FOLDER --sigma LEVELS [--with NAMES] [--gray]

Add white Gaussian noise to the pictures of a folder, as 'blorc-denoise eval FOLDER --sigma LEVELS' does, and denoise them
with the program at each quality and with published denoisers: bm3d (Dabov et al. 2007), aksvd (Analysis K-SVD, Rubinstein
et al. 2013, learned on each picture), tv (total variation, Chambolle 2004), dct (sliding window, Yu and Sapiro 2011). The
table has PSNR in dB and SSIM of each picture, their means, and the seconds for each megapixel.

Flags:
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// Exit codes, the same as in blorc-denoise.
const (
	exitOK          = 0
	exitUsage       = 2
	exitFile        = 6
	exitInterrupted = 130
)

// run runs the command and returns its exit code.
func run(ctx context.Context, args []string, out, messages io.Writer) int {
	var c comparison
	var names []string
	flags := pflag.NewFlagSet("blorc-against", pflag.ContinueOnError)
	flags.SetOutput(messages)
	flags.Float64VarP(&c.sigma, "sigma", "s", 0, "standard deviation of the noise in gray `LEVELS` of 0-255")
	flags.StringSliceVar(&names, "with", []string{"bm3d", "tv", "dct"}, "`NAMES` of published denoisers")
	flags.BoolVar(&c.gray, "gray", false, "turn colour pictures into gray (BT.601 luma) first")
	flags.Uint64Var(&c.seed, "seed", 1, "seed of the noise")
	flags.IntVarP(&c.workers, "jobs", "j", 0, "number of processors to use; 0 = all")
	flags.Usage = func() { fmt.Fprint(out, usageText, flags.FlagUsages()) }
	fail := func(code int, err error) int {
		fmt.Fprintln(messages, "blorc-against:", strings.Join(strings.Fields(err.Error()), " "))
		return code
	}
	switch err := flags.Parse(args); {
	case errors.Is(err, pflag.ErrHelp):
		return exitOK
	case err != nil:
		return fail(exitUsage, err)
	case flags.NArg() != 1:
		return fail(exitUsage, errors.New("one folder of clean pictures is needed"))
	case !(c.sigma > 0):
		return fail(exitUsage, errors.New("a positive --sigma is needed"))
	}
	if err := c.choose(names); err != nil {
		return fail(exitUsage, err)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	defer w.Flush()
	switch err := c.run(ctx, flags.Arg(0), w); {
	case errors.Is(err, context.Canceled):
		return fail(exitInterrupted, errors.New("interrupted"))
	case err != nil:
		return fail(exitFile, err)
	}
	return exitOK
}

// choose makes the columns of the table: the program at its qualities, then the denoisers of the names.
func (c *comparison) choose(names []string) error {
	for _, q := range []denoise.Quality{denoise.Fast, denoise.Balanced, denoise.Best} {
		o := denoise.Options{Sigma: c.sigma, Quality: q, Workers: c.workers}
		c.methods = append(c.methods, method{q.String(), func(ctx context.Context, p [][]float32, w, h int) error {
			_, err := denoise.Planes(ctx, p, w, h, o)
			return err
		}})
	}
	for _, name := range names {
		d, err := baseline.ByName(name)
		if err != nil {
			return err
		}
		c.methods = append(c.methods, method{name, func(ctx context.Context, p [][]float32, w, h int) error {
			return baseline.Planes(ctx, d, p, w, h, c.sigma/255, c.workers)
		}})
	}
	return nil
}
