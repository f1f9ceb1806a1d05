package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
)

type noiseEstimateFlags struct {
	read      readFlags
	noise     denoise.Noise
	json      bool
	plot      string
	mapTo     string
	repeat    bool
	output    string
	overwrite bool
	recursive bool
}

func newNoiseEstimate(u *ui) *cobra.Command {
	f := noiseEstimateFlags{}
	c := &cobra.Command{
		Use:   "estimate FILE|FOLDER|PATTERN|@LIST...",
		Short: "Estimate the noise of images",
		Long: `Estimate the noise of images, page by page, as the program does before it denoises.

White noise has a sigma, its standard deviation in gray levels of 0-255, whatever the bit depth. Photon noise has a gain, an
offset and a read noise in gray levels of the file, as in --gain, --offset and --read-noise. Camera noise is spatially correlated;
its level is the one at which models for white noise remove it best. --noise asks for a certain kind.

Folders, patterns and lists mean the same files as for the program itself. With --json there is an object for each page: path
(and path_base64 if it is not UTF-8), page (from 1, if there are several), noise with its kind and parameters, and warnings.

--plot draws the noise of one file over its brightness as an SVG picture, in gray levels of the file. For camera noise it has
lines for brightness and colours at full, half and quarter size.

--map draws a map of the noise of one file over the picture, and the noise at each brightness beside it. With --json the object
contains it as map: side, columns, rows, and parts with cells, curve (the noise curve) and scales (noise at full, half and quarter
size), all in gray levels of the file. If the noise is not given, the map is measured from the residual, which takes as long as
--quality fast.

With --repeat the files (and their pages) are shots of one scene that does not move. The differences between shots are noise, so the measurement is better than from one shot, even if the scene is textured
everywhere. The light may drift. -o writes the noise as a profile, a short JSON file for --noise of the other commands.`,
		Example: `  blorc-denoise noise estimate *.png
  blorc-denoise noise estimate stack.tif --noise poisson --json
  blorc-denoise noise estimate cells.tif --plot cells.svg
  blorc-denoise noise estimate photo.jpg --map noise.png
  blorc-denoise noise estimate --repeat shot1.tif shot2.tif shot3.tif -o microscope.json
  blorc-denoise cells.tif --noise microscope.json`,
		Args: atLeastOne("file"),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c.Context(), u, args) },
	}
	addRecursive(c.Flags(), &f.recursive)
	c.Flags().TextVar(&f.noise, "noise", denoise.Auto, "`KIND` of noise to look for: gaussian, camera, poisson or auto")
	c.Flags().BoolVar(&f.json, "json", false, "print one JSON object a line")
	c.Flags().StringVar(&f.plot, "plot", "", "draw the noise over brightness as `FILE.svg`")
	c.Flags().StringVar(&f.mapTo, "map", "", "draw where the noise is, over the picture, as `FILE.svg` or FILE.png")
	c.Flags().BoolVar(&f.repeat, "repeat", false,
		"the files are shots of one scene: measure the noise from their differences")
	c.Flags().StringVarP(&f.output, "output", "o", "", "with --repeat, write the noise as a profile `FILE.json`")
	c.Flags().BoolVar(&f.overwrite, "overwrite", false, "replace the files of --plot, --map and --output if they exist")
	f.read.add(c.Flags())
	f.read.addEmpty(c.Flags())
	return c
}

func (f *noiseEstimateFlags) check() error {
	switch {
	case f.output != "" && !f.repeat:
		return usage("--output needs --repeat")
	case f.repeat && f.mapTo != "":
		return usage("--map is for one file, not for --repeat")
	case f.repeat && f.noise != denoise.Auto:
		return usage("--repeat finds the kind of noise itself, so it does not go with --noise")
	case f.noise == denoise.Curve || f.noise == denoise.None:
		return usage("--noise must be gaussian, camera, poisson or auto")
	case !hasExt(f.plot, ".svg"):
		return usage("the plot %s is not named .svg", f.plot)
	case !hasExt(f.output, ".json"):
		return usage("the profile %s is not named .json", f.output)
	case !hasExt(f.mapTo, ".svg", ".png"):
		return usage("the map %s is not named .svg or .png", f.mapTo)
	}
	return f.read.check()
}

// hasExt says whether the name of a file ends in one of some extensions. So does no name.
func hasExt(path string, exts ...string) bool {
	return path == "" || slices.Contains(exts, strings.ToLower(filepath.Ext(path)))
}

func (f *noiseEstimateFlags) run(ctx context.Context, u *ui, words []string) error {
	if err := cmp.Or(f.check(), noPipe("noise estimate", words)); err != nil {
		return err
	}
	f.read.Context = ctx
	if f.repeat {
		return f.repeats(ctx, u, words)
	}
	var t tally
	files := t.inputs(ctx, u, words, f.recursive)
	if (f.plot != "" || f.mapTo != "") && len(files)+len(t.codes) > 1 {
		return usage("--plot and --map are for one file")
	}
	for _, path := range files {
		var out fileError
		switch err := f.file(ctx, u, path); {
		case errors.Is(err, errStdout):
			return err
		case errors.As(err, &out): // of the plot
			t.fail(u, "", err)
		case err != nil:
			t.fail(u, path, err)
		default:
			t.done++
		}
	}
	return t.err()
}

// errStdout is the kind of errors of writing to stdout.
var errStdout = errors.New("standard output")

// estimateRecord is what --json prints for a page.
type estimateRecord struct {
	Path  string       `json:"path"`
	Bytes []byte       `json:"path_base64,omitempty"` // if the path is not UTF-8 and so cannot stand in JSON
	Page  int          `json:"page,omitempty"`        // counted from 1, if there are several
	Noise *noiseRecord `json:"noise"`
	Map   *mapRecord   `json:"map,omitempty"` // with --map

	Warnings []string `json:"warnings,omitempty"`
}

// faults returns the warnings about what was read. Nothing is written, so what would be lost then does not matter.
func faults(img *imageio.Image) []string {
	lost := img.Meta.Lost()
	return slices.DeleteFunc(slices.Clone(img.Warnings), func(w string) bool { return slices.Contains(lost, w) })
}

// eachPage calls f with each page of a file and its number, which is 0 if the file has no other.
func (r *readFlags) eachPage(path string, f func(number int, img *imageio.Image) error) error {
	in, err := imageio.Open(path, r.ReadOptions)
	if err != nil {
		return err
	}
	defer in.Close()
	for i := range in.Pages() {
		img, err := in.Page(i)
		if err != nil {
			return err
		}
		number := i + 1
		if in.Pages() == 1 {
			number = 0
		}
		if err := f(number, img); err != nil {
			return err
		}
	}
	return nil
}

// pageName names a page of a file.
func pageName(name string, number int) string {
	if number == 0 {
		return name
	}
	return fmt.Sprintf("%s, page %d", name, number)
}

// file tells the noise of all pages of a file. A plot and a map show the first.
func (f *noiseEstimateFlags) file(ctx context.Context, u *ui, path string) error {
	return f.read.eachPage(path, func(number int, img *imageio.Image) error {
		a, err := denoise.Analyse(ctx, img, denoise.FileOptions{Options: denoise.Options{Noise: f.noise},
			Read: f.read.ReadOptions})
		if err != nil {
			return err
		}
		found, name := a.Result(), pageName(oneLine(path), number)
		record := estimateRecord{Path: path, Bytes: oddBytes(path), Page: number, Noise: noiseOf(found),
			Warnings: append(faults(img), found.Warnings...)}
		u.warn(name, record.Warnings)
		var noise denoise.NoiseMap
		if f.mapTo != "" && number <= 1 {
			if noise, err = a.Map(ctx, img); err != nil {
				return err
			}
			record.Map = mapRecordOf(noise)
		}
		if f.json {
			err = json.NewEncoder(u.out).Encode(record)
		} else {
			text := describeNoise(found)
			if img.Mosaic != nil && !found.Estimated { // a tag of the file, which no flag gives
				text = found.String() + ", as the file tells"
			}
			_, err = fmt.Fprintf(u.out, "%s: %s\n", name, text)
		}
		if err != nil {
			return fmt.Errorf("%w: %w", errStdout, err)
		}
		if number > 1 {
			return nil
		}
		return f.draw(img, found, noise, fmt.Sprintf("%s: %v", oneLine(filepath.Base(path)), found))
	})
}

// draw writes the plot and the map that are asked for.
func (f *noiseEstimateFlags) draw(img *imageio.Image, found denoise.Result, m denoise.NoiseMap, title string) error {
	full := img.FullScale(f.read.White)
	if f.plot != "" {
		c := noiseChart(img, found, full)
		c.Title = title
		if err := writeNamed(f.plot, f.overwrite, c.WriteSVG); err != nil {
			return err
		}
	}
	if f.mapTo == "" {
		return nil
	}
	figure := mapFigure(img, m, full)
	figure.Title = title
	if strings.EqualFold(filepath.Ext(f.mapTo), ".png") {
		return writeNamed(f.mapTo, f.overwrite, figure.WritePNG)
	}
	return writeNamed(f.mapTo, f.overwrite, figure.WriteSVG)
}
