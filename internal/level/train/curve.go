package main

import (
	"github.com/blorc-denoise/blorc-denoise/internal/camera"

	"bufio"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"slices"
	"sync"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
)

// nodes are the noise levels, in grey levels of 0-255, that the models are told in turn.
var nodes = []float64{0, 0.7, 1, 1.5, 2.2, 3.2, 4.5, 6.4, 9, 12.7, 18, 25.5, 36, 51, 72}

// coarse are the levels for training pictures. Those around the best one are added.
var coarse = []float64{0, 0.7, 1.4, 2.8, 5.6, 11.2, 22.4, 44.8, 72}

// curveSide is the side of the part of a picture that is denoised, in samples.
const curveSide = 192

// curve is what the model does to one picture.
type curve struct {
	Name  string
	Sigma []float64 // levels that the model was told, in grey levels, rising from 0; higher ones are worse
	MSE   []float64 // mean square error with each of them, samples being 0..255
}

// denoiser runs the white-noise model on one processor.
type denoiser struct{ options denoise.Options }

func newDenoiser(q denoise.Quality) denoiser {
	return denoiser{denoise.Options{Noise: denoise.Camera, Workers: 1, Quality: q}}
}

// forWhite returns the denoiser that pictures with white noise go to, if their level is predicted well.
func (d denoiser) forWhite() denoiser {
	d.options.Noise = denoise.Gaussian
	return d
}

// denoise returns a picture without the noise of a level in grey levels.
func (d denoiser) denoise(p *camera.Picture, sigma float64) (*camera.Picture, error) {
	q := p.Clone()
	if sigma == 0 {
		return q, nil
	}
	o := d.options
	o.Sigma = sigma
	_, err := denoise.Planes(context.Background(), q.Planes, q.Width, q.Height, o)
	return q, err
}

// measure fills in the curve of a pair. It stops where the result has become much worse, and looks more closely around
// the best node.
func (d denoiser) measure(c *curve, p pair, nodes []float64) error {
	try := func(sigma float64) (float64, error) {
		q, err := d.denoise(p.noisy, sigma)
		if err != nil {
			return 0, err
		}
		e := meanSquare(q, p.clean, p.bits)
		at, _ := slices.BinarySearch(c.Sigma, sigma)
		c.Sigma, c.MSE = slices.Insert(c.Sigma, at, sigma), slices.Insert(c.MSE, at, e)
		return e, nil
	}
	best, bestAt := math.Inf(1), 0.0
	for _, sigma := range nodes {
		e, err := try(sigma)
		if err != nil {
			return err
		}
		if e < best {
			best, bestAt = e, sigma
		}
		if e > 1.8*best && e > 4 { // 42 dB
			break
		}
	}
	if bestAt < 1 {
		return nil
	}
	quarter := math.Pow(2, 0.25)
	_, err1 := try(bestAt / quarter)
	_, err2 := try(bestAt * quarter)
	return errors.Join(err1, err2)
}

// meanSquare is the error in grey levels, after clipping and rounding as in a file.
func meanSquare(p, clean *camera.Picture, bits int) float64 {
	sum, n := 0.0, 0
	for c, plane := range p.Planes {
		for i, v := range plane {
			x := min(max(255*float64(v), 0), 255)
			if bits == 8 {
				x = math.Round(x)
			}
			d := x - 255*float64(clean.Planes[c][i])
			sum += d * d
			n++
		}
	}
	return sum / float64(n)
}

func rootMean(sum float64, n int) float64 { return math.Sqrt(sum / float64(n)) }

// around returns the nodes that are worth measuring, given the curve of another denoiser for the same picture: none far from the best level.
func (c curve) around() []float64 {
	best := 0
	for i, e := range c.MSE {
		if e < c.MSE[best] {
			best = i
		}
	}
	if c.Sigma[best] < 2 {
		return []float64{0, 1, 2.2, 4.5, 9}
	}
	return slices.DeleteFunc(slices.Clone(nodes), func(sigma float64) bool { return sigma > 0 && math.Abs(math.Log(sigma/c.Sigma[best])) > math.Log(2.2) })
}

// readCurves reads a file of curves, a JSON object on each line. A last line that was cut short does not count.
func readCurves(path string) (map[string]curve, error) {
	curves := map[string]curve{}
	f, err := os.Open(path)
	if os.IsNotExist(err) {
		return curves, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		var c curve
		if json.Unmarshal(s.Bytes(), &c) == nil {
			curves[c.Name] = c
		}
	}
	return curves, nil
}

// appendCurves measures those recipes whose curves are not in the file yet, and adds them one by one. Each of some workers
// measures a picture at a time. Seen gets the statistics of the pictures as well.
func appendCurves(path string, g *generator, all []recipe, d denoiser, nodes func(name string) []float64, seen *album, workers int, progress func(done int)) error {
	known, err := readCurves(path)
	if err != nil {
		return err
	}
	missing := slices.DeleteFunc(slices.Clone(all), func(r recipe) bool { _, ok := known[r.name()]; return ok })
	ctx, stop := context.WithCancelCause(context.Background())
	defer stop(nil)
	var mu sync.Mutex
	done := len(all) - len(missing)
	_ = parallel.For(ctx, workers, len(missing), func(_, i int) {
		p, err := g.make(missing[i])
		c := curve{Name: missing[i].name()}
		if err == nil {
			used := d
			if k := missing[i].Kind; k == "white" || k == "drawn" {
				used = d.forWhite()
			}
			err = used.measure(&c, p.centre(curveSide), nodes(c.Name))
			if !seen.has(c.Name) {
				err = errors.Join(err, seen.add(c.Name, show(p)))
			}
		}
		mu.Lock()
		defer mu.Unlock()
		if err == nil {
			err = appendCurve(path, c)
		}
		if err != nil {
			stop(err)
			return
		}
		done++
		progress(done)
	})
	return context.Cause(ctx)
}

func appendCurve(path string, c curve) error {
	line, err := json.Marshal(c)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(append(append([]byte{'\n'}, line...), '\n')) // the line before may have been cut short
	return errors.Join(err, f.Close())
}
