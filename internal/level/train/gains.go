package main

import (
	"fmt"
	"io"
	"math"
	"path"

	"github.com/blorc-denoise/blorc-denoise/internal/camera"
	"github.com/blorc-denoise/blorc-denoise/internal/estimate"
	"github.com/blorc-denoise/blorc-denoise/internal/level"
)

// reportSide is the side of the part of a picture that is denoised for reports, in samples. Levels are predicted from the
// whole picture.
const reportSide = 256

// measureSets adds the curves of report sets to a file.
func measureSets(file string, g *generator, sets []reportSet, d denoiser, log io.Writer) error {
	known, err := readCurves(file)
	if err != nil {
		return err
	}
	for _, s := range sets {
		fmt.Fprintln(log, s.name)
		for _, f := range s.files {
			if _, ok := known[s.curveName(f)]; ok {
				continue
			}
			p, err := s.pair(g, f)
			if err != nil {
				return err
			}
			p.noisy, p.clean = p.noisy.Centre(reportSide), p.clean.Centre(reportSide)
			c := curve{Name: s.curveName(f)}
			if err := d.measure(&c, p, reportNodes); err != nil {
				return err
			}
			if err := appendCurve(file, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// predict returns the level that the networks tell for a picture, and that of the estimator of white noise.
func predict(networks []*level.Network, p *camera.Picture) (e level.Estimate, white float64) {
	white = estimate.Sigma(p.Planes, p.Width, p.Height, 1)
	return level.Predict(networks, p.Planes, p.Width, p.Height, white, 0), white
}

// printGains prints what predicted levels gain on report sets, by their curves, beside single levels for all pictures.
func printGains(out io.Writer, g *generator, sets []reportSet, curves map[string]curve, networks []*level.Network, detail bool) error {
	fmt.Fprintf(out, "%-28s %6s", "", "noisy")
	for _, sigma := range fixed {
		fmt.Fprintf(out, " %6g", sigma)
	}
	fmt.Fprintf(out, " %6s %6s %6s %6s %6s %6s\n", "oracle", "told", "least", "worst", "sigma", "white")
	for _, s := range sets {
		var r gainRow
		for _, f := range s.files {
			c, ok := curves[s.curveName(f)]
			if !ok {
				continue
			}
			p, err := s.pair(g, f)
			if err != nil {
				return err
			}
			e, white := predict(networks, p.noisy)
			gain := r.add(c, 255*e.Sigma, 255*white)
			if detail {
				fmt.Fprintf(out, "    %-50s told %5.1f spread %4.2f white %5.2f gain %6.2f of %6.2f\n", path.Base(f), 255*e.Sigma, e.Spread, 255*white, gain, r.best[len(r.best)-1])
			}
		}
		if len(r.told) > 0 {
			r.print(out, s.name)
		}
	}
	return nil
}

// gainRow collects the pictures of a set. Gains are in decibels.
type gainRow struct {
	noisy, told, best, sigmas, whites []float64
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

// print writes the means, the least gain, what the worst picture loses against the best single level, and the median levels.
func (r *gainRow) print(out io.Writer, name string) {
	bestFixed := 0
	fmt.Fprintf(out, "%-28s %6.2f", name, mean(r.noisy))
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
	fmt.Fprintf(out, " %6.2f %6.2f %6.2f %6.2f %6.2f %6.2f\n", mean(r.best), mean(r.told), least, worst, median(r.sigmas), median(r.whites))
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
			e, white := predict(networks, p.noisy)
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
		fmt.Fprintf(out, "%-28s lost against the true level: %.3f dB, estimator of white noise alone %.3f; median of told over true %.2f\n", s.name, mean(losses), mean(whiteLosses), median(ratios))
	}
	return nil
}
