package compare

import (
	"fmt"
	"html/template"
	"io"
	"math"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/display"
)

func rootMean(sum float64, n int) float64 { return math.Sqrt(sum / float64(max(1, n))) }

// Score is the quality of an image.
type Score struct{ PSNR, SSIM float64 }

// Eval collects the images of a set for a page.
type Eval struct {
	Title    string
	Models   []string // names of the denoisers
	Settings []Setting
	Command  string
	White    float64 // full scale of float files; 0 means 1
	Workers  int

	images []evalImage
}

type evalImage struct {
	Name, Found string
	Noisy       Score
	Models      []Score
	Curve       template.HTML
	Spots       []figure
}

// Add takes over the crops of an image: clean, noisy and denoised by each model. The images are not kept. Result is the noise that
// the first model was told.
func (e *Eval) Add(name string, clean, noisy *imageio.Image, denoised []*imageio.Image, r denoise.Result, before Score, after []Score) error {
	row := evalImage{Name: name, Found: sentence(r.String()), Noisy: before, Models: after, Curve: curveOf(noisy, r, e.White, e.Workers)}
	images := append([]*imageio.Image{noisy}, denoised...)
	images = append(images, clean)
	shown := display.Of(clean)
	other := noisy
	if len(denoised) > 0 {
		other = denoised[0]
	}
	for _, s := range Spots(other, clean, evalSpotWidth, evalSpotHeight) {
		switch s.Name {
		case "flat": // the scores of a set are about detail
			continue
		case greatestChange:
			s.Name = "greatest error"
		}
		f, err := newFigure(s.Name, fmt.Sprintf("column %d, row %d", s.Area.Min.X, s.Area.Min.Y), images, e.labels(), shown, s.Area, 1, evalQuality)
		if err != nil {
			return err
		}
		row.Spots = append(row.Spots, f)
	}
	e.images = append(e.images, row)
	return nil
}

func (e *Eval) labels() []string {
	return append(append([]string{"noisy"}, e.Models...), "clean")
}

// evalData is what the template shows of a set.
type evalData struct {
	Models []string
	Images []evalRow
	Mean   evalRow
}

// evalRow is a line of the table, and the crops of its image.
type evalRow struct {
	Name, Found string
	Noisy       Score
	Models      []evalScore
	Curve       template.HTML
	Spots       []figure
}

type evalScore struct {
	Score
	Gain float64 // in dB over the noisy image
	Best bool    // no other model has a higher PSNR
	Bar  int     // length for the chart, 0 to 100
}

// Write writes the page of all images that were added.
func (e *Eval) Write(w io.Writer) error {
	d := newData(e.Title, e.labels())
	d.Settings, d.Command = e.Settings, e.Command
	d.Eval = &evalData{Models: e.Models}
	mean := evalImage{Name: "mean", Models: make([]Score, len(e.Models))}
	n := float64(len(e.images))
	most := 1.0
	for _, img := range e.images {
		mean.Noisy.add(img.Noisy, n)
		for i, s := range img.Models {
			mean.Models[i].add(s, n)
			most = max(most, limited(s.PSNR)-limited(img.Noisy.PSNR))
		}
	}
	for _, img := range e.images {
		d.Eval.Images = append(d.Eval.Images, img.row(most))
	}
	d.Eval.Mean = mean.row(most)
	return page().ExecuteTemplate(w, "page", d)
}

func (s *Score) add(o Score, n float64) {
	s.PSNR += o.PSNR / n
	s.SSIM += o.SSIM / n
}

// limited replaces the infinite PSNR of equal images.
func limited(psnr float64) float64 { return min(psnr, 100) }

func (img evalImage) row(most float64) evalRow {
	r := evalRow{img.Name, img.Found, img.Noisy, nil, img.Curve, img.Spots}
	best := math.Inf(-1)
	for _, s := range img.Models {
		best = max(best, s.PSNR)
	}
	for _, s := range img.Models {
		gain := limited(s.PSNR) - limited(img.Noisy.PSNR)
		r.Models = append(r.Models, evalScore{s, gain, len(img.Models) > 1 && s.PSNR == best, int(100 * max(0, gain) / most)})
	}
	return r
}
