package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/chart"
	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/disk"
)

// repeats measures noise from several shots of one scene. All must fit: noise from half of the shots would pass for
// that of all.
func (f *noiseEstimateFlags) repeats(ctx context.Context, u *ui, words []string) error {
	files, err := f.shots(ctx, words)
	if err != nil {
		return err
	}
	r := denoise.Repeats{White: f.read.White}
	shots := 0
	for _, path := range files {
		n, err := f.shot(ctx, u, &r, path)
		if err != nil {
			return silent(u.fail(path, err))
		}
		shots += n
	}
	if shots < 2 {
		return usage("--repeat needs at least two shots")
	}
	p, err := r.Profile()
	if err != nil {
		return silent(u.fail(files[len(files)-1], err))
	}
	if p.IsBroad() {
		u.say("the noise is stronger at coarse detail, as cameras and film leave it; finding it in each picture may " +
			"do better")
	}
	if f.output != "" {
		err := writeNamed(f.output, f.overwrite, func(w io.Writer) error { return writeProfile(w, p, true) })
		if err != nil {
			return err
		}
	}
	if f.plot != "" {
		c := profileChart(&r, p)
		c.Title = fmt.Sprintf("%d shots: %v", shots, p)
		if err := writeNamed(f.plot, f.overwrite, c.WriteSVG); err != nil {
			return err
		}
	}
	if f.json {
		err = writeProfile(u.out, p, false)
	} else {
		_, err = fmt.Fprintf(u.out, "%d shots: %v\n", shots, p)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errStdout, err)
	}
	return nil
}

// shots returns the files, none of them twice.
func (f *noiseEstimateFlags) shots(ctx context.Context, words []string) (files []string, err error) {
	for _, word := range words {
		found, err := inputFiles(ctx, word, f.recursive)
		if err != nil {
			return nil, err
		}
		for _, path := range found {
			for _, other := range files {
				if disk.SameFile(path, other) {
					return nil, usage("%s and %s are the same file, which shows no noise", other, path)
				}
			}
			files = append(files, path)
		}
	}
	return files, nil
}

// shot adds the pages of a file, and returns their number.
func (f *noiseEstimateFlags) shot(ctx context.Context, u *ui, r *denoise.Repeats, path string) (pages int, err error) {
	base := filepath.Base(path)
	err = f.read.eachPage(path, func(number int, img *imageio.Image) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		d, err := r.Add(base, img)
		if err != nil && number > 0 {
			return fmt.Errorf("page %d: %w", number, err)
		}
		if err != nil {
			return err
		}
		pages++
		u.warn(pageName(base, number), faults(img))
		tellDrift(u, pageName(base, number), d)
		return nil
	})
	return pages, err
}

// tellDrift says what of a shot differs from the one before.
func tellDrift(u *ui, name string, d denoise.Drift) {
	const clear = 0.02
	switch {
	case d.Factor > 1+clear:
		u.say("%s: %.0f %% brighter than the shot before, which is taken into account", name, 100*(d.Factor-1))
	case d.Factor < 1-clear:
		u.say("%s: %.0f %% darker than the shot before, which is taken into account", name, 100*(1-d.Factor))
	}
	if d.Shift > 0 {
		u.say("%s: shifted by about %.2f pixels against the shot before; the noise may be read too high", name, d.Shift)
	}
}

func writeProfile(w io.Writer, p *denoise.Profile, indented bool) error {
	e := jsonLines(w)
	if indented {
		e.SetIndent("", "  ")
	}
	return e.Encode(p)
}

// profileChart draws what a profile comes from.
func profileChart(r *denoise.Repeats, p *denoise.Profile) chart.Chart {
	c := chart.Chart{X: brightnessLabel, Y: noiseLabel}
	for i, curve := range r.Curves(p) {
		n, plot := p.Channels[i], plotOf(i, len(p.Channels))
		switch p.Kind {
		case denoise.Poisson:
			photons := denoise.PhotonNoise{Gain: n.Gain, Offset: n.Offset, ReadNoise: n.ReadNoise}
			c.Series = append(c.Series, plot.photons(curve, photons, p.FullScale)...)
		case denoise.Gaussian:
			c.Series = append(c.Series, plot.flat(curve, n.Sigma, p.FullScale)...)
		default:
			var points []chart.Point
			for _, q := range n.Points {
				points = append(points, chart.Point{X: q.Level, Y: q.Sigma})
			}
			c.Series = append(c.Series, plot.lined(curve, p.FullScale, "profile", points)...)
		}
	}
	return c
}
