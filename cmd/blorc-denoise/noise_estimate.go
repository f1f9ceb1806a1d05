package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
)

type noiseEstimateFlags struct {
	read  readFlags
	noise denoise.Noise
	json  bool
}

func newNoiseEstimate(u *ui) *cobra.Command {
	f := noiseEstimateFlags{}
	c := &cobra.Command{
		Use:   "estimate FILE|FOLDER...",
		Short: "Tell the noise of images",
		Long: `Tell what noise is in images, page by page, as the program finds it before it denoises.

White noise has a sigma, its standard deviation in grey levels of 0-255, whatever the bit depth. Photon noise has a gain, an
offset and a read noise in the levels of the file, which --gain, --offset and --read-noise take. Camera noise, which has lost
its fine part, has the level at which models for white noise remove it best. --noise asks for a certain kind.`,
		Example: "  blorc-denoise noise estimate *.png\n  blorc-denoise noise estimate stack.tif --noise poisson --json",
		Args:    atLeastOne("file"),
		RunE:    func(c *cobra.Command, args []string) error { return f.run(c.Context(), u, args) },
	}
	c.Flags().TextVar(&f.noise, "noise", denoise.Auto, "`KIND` of noise to look for: gaussian, camera, poisson or auto")
	c.Flags().BoolVar(&f.json, "json", false, "print one JSON object a line")
	f.read.add(c.Flags())
	return c
}

func (f *noiseEstimateFlags) run(ctx context.Context, u *ui, words []string) error {
	if err := f.read.check(); err != nil {
		return err
	}
	var t tally
	for _, word := range words {
		files, err := images(word)
		if err != nil {
			t.codes = append(t.codes, u.fail("", err))
			continue
		}
		for _, path := range files {
			switch err := f.file(ctx, u, path); {
			case errors.Is(err, errStdout):
				return err
			case err != nil:
				t.codes = append(t.codes, u.fail(path, err))
			default:
				t.done++
			}
		}
	}
	if code := t.code(); code != exitOK {
		return silent(code)
	}
	return nil
}

// errStdout is the kind of errors of writing to stdout.
var errStdout = errors.New("standard output")

// estimateRecord is what --json prints for a page.
type estimateRecord struct {
	Path  string       `json:"path"`
	Page  int          `json:"page,omitempty"` // counted from 1, if there are several
	Noise *noiseRecord `json:"noise"`
}

// file tells the noise of all pages of a file.
func (f *noiseEstimateFlags) file(ctx context.Context, u *ui, path string) error {
	r, err := imageio.Open(path, f.read.ReadOptions)
	if err != nil {
		return err
	}
	defer r.Close()
	for i := range r.Pages() {
		img, err := r.Page(i)
		if err != nil {
			return err
		}
		found, err := denoise.Measure(ctx, img, denoise.FileOptions{Options: denoise.Options{Noise: f.noise}, Read: f.read.ReadOptions})
		if err != nil {
			return err
		}
		record := estimateRecord{Path: path, Noise: noiseOf(found)}
		name := oneLine(path)
		if r.Pages() > 1 {
			record.Page = i + 1
			name += fmt.Sprintf(", page %d", i+1)
		}
		if f.json {
			err = json.NewEncoder(u.out).Encode(record)
		} else {
			_, err = fmt.Fprintf(u.out, "%s: %v\n", name, found)
		}
		if err != nil {
			return fmt.Errorf("%w: %w", errStdout, err)
		}
	}
	return nil
}
