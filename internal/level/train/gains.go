package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"slices"
	"sync"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/camera"
	"github.com/blorc-denoise/blorc-denoise/internal/estimate"
	"github.com/blorc-denoise/blorc-denoise/internal/level"
	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
)

// reportSide is the side of the part of a picture that is denoised for reports, in samples. Levels are predicted from the
// whole picture.
const reportSide = 256

// measureSets adds the curves of report sets to a file.
func measureSets(file string, g *generator, sets []reportSet, d denoiser, workers int, log io.Writer) error {
	known, err := readCurves(file)
	if err != nil {
		return err
	}
	for _, s := range sets {
		fmt.Fprintln(log, s.name)
		missing := slices.DeleteFunc(slices.Clone(s.files), func(f string) bool { _, ok := known[s.curveName(f)]; return ok })
		errs := make([]error, len(missing))
		var mu sync.Mutex
		_ = parallel.For(context.Background(), workers, len(missing), func(_, i int) {
			c, err := s.curve(g, missing[i], d)
			mu.Lock()
			defer mu.Unlock()
			if errs[i] = err; err == nil {
				errs[i] = appendCurve(file, c)
			}
		})
		if err := errors.Join(errs...); err != nil {
			return err
		}
	}
	return nil
}

// curve measures the curve of a file.
func (s reportSet) curve(g *generator, file string, d denoiser) (curve, error) {
	c := curve{Name: s.curveName(file)}
	p, err := s.pair(g, file)
	if err != nil {
		return c, err
	}
	return c, d.measure(&c, p.centre(reportSide), reportNodes)
}

// programLevel returns the level that the program tells with the networks that it has, in grey levels. It tells white noise, photon noise and
// noise of other kinds apart first.
func programLevel(p pair) (float64, error) {
	img := &imageio.Image{Width: p.noisy.Width, Height: p.noisy.Height, Planes: p.noisy.Planes, Depth: imageio.Depth8, Steps: imageio.Steps(p.steps)}
	r, err := denoise.Measure(context.Background(), img, denoise.FileOptions{})
	return r.Sigma, err
}

// predict returns the level that the networks tell for a picture, and that of the estimator of white noise.
func predict(networks []*level.Network, p *camera.Picture, steps level.Steps) (e level.Estimate, white float64) {
	white = estimate.Sigma(p.Planes, p.Width, p.Height, 1)
	return level.Predict(networks, p.Planes, p.Width, p.Height, white, steps, denoise.RemoveBroad, 0), white
}

// printGains prints what predicted levels gain on report sets, by their curves, beside single levels for all pictures. Pictures whose
// steps are known have a row of their own.
func printGains(out io.Writer, g *generator, sets []reportSet, curves map[string]curve, networks []*level.Network, detail bool) error {
	printHead(out)
	var details io.Writer
	if detail {
		details = out
	}
	for _, s := range sets {
		all, known, err := setGains(g, s, curves, networks, details)
		if err != nil {
			return err
		}
		all.print(out, s.name)
		known.print(out, s.name+", steps")
	}
	return nil
}

func printHead(out io.Writer) {
	fmt.Fprintf(out, "%-36s %6s", "", "noisy")
	for _, sigma := range fixed {
		fmt.Fprintf(out, " %6g", sigma)
	}
	fmt.Fprintf(out, " %6s %6s %6s %6s %6s %6s %7s\n", "oracle", "told", "least", "worst", "sigma", "white", "program")
}

// setGains measures the gains on a set, without steps and with those that are known.
func setGains(g *generator, s reportSet, curves map[string]curve, networks []*level.Network, details io.Writer) (all, known gainRow, err error) {
	for _, f := range s.files {
		c, ok := curves[s.curveName(f)]
		if !ok {
			continue
		}
		p, err := s.pair(g, f)
		if err != nil {
			return all, known, err
		}
		variants := []level.Steps{{}}
		if p.steps.Known() {
			variants = append(variants, p.steps)
		}
		for _, steps := range variants {
			row, note := &all, ""
			if steps.Known() {
				row, note = &known, " steps"
			}
			e, white := predict(networks, p.noisy, steps)
			gain := row.add(c, 255*e.Sigma, 255*white)
			if steps == p.steps {
				sigma, err := programLevel(p)
				if err != nil {
					return all, known, err
				}
				row.program = append(row.program, c.psnr(sigma)-c.psnr(0))
			}
			if details != nil {
				fmt.Fprintf(details, "    %-50s told %5.1f spread %4.2f white %5.2f gain %6.2f of %6.2f%s\n", path.Base(f), 255*e.Sigma, e.Spread, 255*white, gain, row.best[len(row.best)-1], note)
			}
		}
	}
	return all, known, nil
}

// gainRow collects the pictures of a set. Gains are in decibels.
type gainRow struct {
	noisy, told, best, sigmas, whites []float64
	program                           []float64 // with the levels that the program tells, if it knows the steps
	fixed                             [4][]float64
}

// add returns the gain of a level in grey levels.
func (r *gainRow) add(c curve, sigma, white float64) float64 {
	base := c.psnr(0)
	gain := c.psnr(sigma) - base
	r.noisy = append(r.noisy, base)
	r.told = append(r.told, gain)
	best := math.Inf(-1)
	for _, s := range c.Sigma {
		best = max(best, c.psnr(s)-base)
	}
	for i, s := range fixed {
		r.fixed[i] = append(r.fixed[i], c.psnr(s)-base)
	}
	r.best = append(r.best, best)
	r.sigmas, r.whites = append(r.sigmas, sigma), append(r.whites, white)
	return gain
}

// psnr interpolates the curve. Errors below 60 dB do not count.
func (c curve) psnr(sigma float64) float64 {
	at := func(i int) float64 { return 10 * math.Log10(255*255/(c.MSE[i]+255*255*1e-6)) }
	if sigma <= 0 {
		return at(0)
	}
	i := 0
	for i < len(c.Sigma)-2 && c.Sigma[i+1] < sigma {
		i++
	}
	a, b := math.Log(max(c.Sigma[i], 0.3)), math.Log(c.Sigma[i+1])
	t := min(max((math.Log(sigma)-a)/(b-a), 0), 2) // beyond the last point it goes on falling for a while
	return at(i) + t*(at(i+1)-at(i))
}

// append adds the pictures of another set.
func (r *gainRow) append(s gainRow) {
	for _, v := range []struct {
		to   *[]float64
		from []float64
	}{{&r.noisy, s.noisy}, {&r.program, s.program}, {&r.told, s.told}, {&r.best, s.best}, {&r.sigmas, s.sigmas}, {&r.whites, s.whites}} {
		*v.to = append(*v.to, v.from...)
	}
	for i, v := range s.fixed {
		r.fixed[i] = append(r.fixed[i], v...)
	}
}

// print writes the means, the least gain, what the worst picture loses against the best single level, and the median levels.
func (r *gainRow) print(out io.Writer, name string) {
	if len(r.told) == 0 {
		return
	}
	bestFixed := 0
	fmt.Fprintf(out, "%-36s %6.2f", name, mean(r.noisy))
	for i := range fixed {
		fmt.Fprintf(out, " %6.2f", mean(r.fixed[i]))
		if mean(r.fixed[i]) > mean(r.fixed[bestFixed]) {
			bestFixed = i
		}
	}
	least, worst := math.Inf(1), math.Inf(1)
	for i, g := range r.told {
		least, worst = min(least, g), min(worst, g-r.fixed[bestFixed][i])
	}
	fmt.Fprintf(out, " %6.2f %6.2f %6.2f %6.2f %6.2f %6.2f", mean(r.best), mean(r.told), least, worst, median(r.sigmas), median(r.whites))
	if len(r.program) > 0 {
		fmt.Fprintf(out, " %7.2f", mean(r.program))
	}
	fmt.Fprintln(out)
}

// printWhite prints what predicted levels lose against the true one, for white noise.
func printWhite(out io.Writer, g *generator, sets []whiteSet, d denoiser, networks []*level.Network) error {
	for _, s := range sets {
		var losses, whiteLosses, ratios []float64
		for _, f := range s.files {
			p, err := s.pair(g, f)
			if err != nil {
				return err
			}
			e, white := predict(networks, p.noisy, p.steps)
			noisy, clean := p.noisy.Centre(reportSide), p.clean.Centre(reportSide)
			var mse [3]float64
			for i, sigma := range []float64{s.sigma, 255 * e.Sigma, 255 * white} {
				q, err := d.denoise(noisy, sigma)
				if err != nil {
					return err
				}
				mse[i] = meanSquare(q, clean, p.bits)
			}
			losses = append(losses, 10*math.Log10(mse[1]/mse[0]))
			whiteLosses = append(whiteLosses, 10*math.Log10(mse[2]/mse[0]))
			ratios = append(ratios, 255*e.Sigma/s.sigma)
		}
		fmt.Fprintf(out, "%-36s lost against the true level: %.3f dB, estimator of white noise alone %.3f; median of told over true %.2f\n", s.name, mean(losses), mean(whiteLosses), median(ratios))
	}
	return nil
}
