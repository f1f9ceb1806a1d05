package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/models"
	"github.com/blorc-denoise/blorc-denoise/watch"
)

// watchJob is what is done with each file of a watched folder.
type watchJob struct {
	read   readFlags
	write  writeFlags
	solver solverFlags
	sigma  sigmaValue
	model  string
}

func (j *watchJob) add(c *cobra.Command) {
	flags := c.Flags()
	flags.VarP(&j.sigma, "sigma", "s", "standard deviation of the noise in grey levels of 0-255, or auto")
	flags.StringVarP(&j.model, "model", "m", models.Default, "`NAME` of a shipped model (see 'model list'), or a model file")
	j.write.add(flags)
	j.solver.add(flags)
	j.read.add(flags)
}

// args are the flags that make the same job.
func (j *watchJob) args() []string {
	return append(j.solver.noise.args(),
		"--sigma", j.sigma.String(), "--model", j.model, "--jpeg-quality", strconv.Itoa(j.write.quality), "--strip="+strconv.FormatBool(j.write.strip),
		"--strength", strconv.FormatFloat(j.solver.strength, 'g', -1, 64), "--quality", j.solver.quality,
		"--stride", strconv.Itoa(j.solver.stride), "--workers", strconv.Itoa(j.solver.workers),
		"--white", strconv.FormatFloat(j.read.White, 'g', -1, 64), "--max-pixels", strconv.FormatInt(j.read.MaxPixels, 10))
}

func (f *watchFlags) workerArgs(params string) []string {
	args := append([]string{"watch"}, f.job.args()...)
	return append(args, "--memory", strconv.FormatInt(f.memory, 10), "--worker", params, "--", "in", "out")
}

// prepare checks everything and returns how to denoise, and a digest of all that outputs depend on besides the inputs.
func (j *watchJob) prepare() (o denoise.Options, params string, err error) {
	if err := j.read.check(); err != nil {
		return o, "", err
	}
	if err := j.write.check(); err != nil {
		return o, "", err
	}
	chosen, err := chooser(j.model)
	if err != nil {
		return o, "", err
	}
	o, err = j.solver.options(chosen, float64(j.sigma))
	if err != nil {
		return o, "", err
	}
	model, err := j.modelBytes()
	if err != nil {
		return o, "", err
	}
	h := sha256.Sum256(model)
	what := fmt.Sprintf("noise %v %+v sigma %v strength %v stride %d pilot %d groups %d passes %d white %v write %+v", o.Noise, o.Photons, o.Sigma, o.Strength,
		o.Stride, o.PilotStride, o.GroupStride, o.Passes, j.read.White, j.write)
	h = sha256.Sum256(append(h[:], what...))
	return o, hex.EncodeToString(h[:]), nil
}

// work is the job for each file.
func (j *watchJob) work(o denoise.Options) watch.Work {
	return func(ctx context.Context, in string, data []byte, out watch.Output) (string, error) {
		return j.do(ctx, data, out, o)
	}
}

func (j *watchJob) modelBytes() ([]byte, error) {
	if strings.ContainsAny(j.model, `./\`) {
		return os.ReadFile(j.model)
	}
	family, err := models.Named(j.model)
	if err != nil {
		return nil, usage("%v", err)
	}
	var all []byte
	for _, e := range family {
		data, err := e.Bytes()
		if err != nil {
			return nil, err
		}
		all = append(all, data...)
	}
	return all, nil
}

// do denoises a file that has been read already.
func (j *watchJob) do(ctx context.Context, data []byte, out watch.Output, o denoise.Options) (string, error) {
	write := j.write.options(out.Name, j.read.White)
	write.Root = out.Root
	r, err := denoise.Bytes(ctx, data, out.Name, o, j.read.ReadOptions, write)
	if errors.Is(err, fs.ErrExist) && j.holds(ctx, out, data, o, write) {
		err = nil
	}
	if err != nil && !errors.Is(err, imageio.ErrNotFlushed) {
		return "", verdict(err)
	}
	return fmt.Sprintf("sigma %.1f, model %s", r.Sigma, r.Model), err
}

// verdict marks what no second try can change.
func verdict(err error) error {
	if errors.Is(err, imageio.ErrFormat) || errors.Is(err, imageio.ErrUnsupported) || errors.Is(err, imageio.ErrLimit) {
		return watch.Refuse(err)
	}
	return err
}

// holds says whether a file has just the bytes that data would become.
func (j *watchJob) holds(ctx context.Context, out watch.Output, data []byte, o denoise.Options, write imageio.WriteOptions) bool {
	f, err := out.Root.Open(out.Name)
	if err != nil {
		return false
	}
	defer f.Close()
	if _, err := denoise.Stream(ctx, &comparer{f}, data, o, j.read.ReadOptions, write); err != nil {
		return false
	}
	n, err := f.Read(make([]byte, 1))
	return n == 0 && err == io.EOF
}

// comparer is a writer that fails if it is given something else than what is in the reader.
type comparer struct{ r io.Reader }

func (c *comparer) Write(b []byte) (int, error) {
	got := make([]byte, len(b))
	if _, err := io.ReadFull(c.r, got); err != nil {
		return 0, err
	}
	if string(got) != string(b) {
		return 0, errors.New("other bytes")
	}
	return len(b), nil
}
