package compare

import (
	"fmt"
	"io"
	"math"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/chart"
	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/display"
	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/markup"
	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
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
	Curve       markup.Raw
	Spots       []figure
}

// Add takes over the crops of an image: clean, noisy and denoised by each model. The images are not kept. Result is the
// noise that the first model was told.
func (e *Eval) Add(name string, clean, noisy *imageio.Image, denoised []*imageio.Image, r denoise.Result, before Score,
	after []Score) error {
	row := evalImage{Name: name, Found: sentence(r.String()), Noisy: before, Models: after,
		Curve: markup.Raw(chart.OfImage(noisy, r, e.White, e.Workers).SVG())}
	images := append([]*imageio.Image{noisy}, denoised...)
	images = append(images, clean)
	shown := display.Of(clean)
	other := noisy
	if len(denoised) > 0 {
		other = denoised[0]
	}
	worst := kind{"greatest error", change.score}
	for _, s := range choose(other, clean, evalSpotWidth, evalSpotHeight, worst, edge, texture) {
		f, err := newFigure(s.Name, fmt.Sprintf("column %d, row %d", s.Area.Min.X, s.Area.Min.Y), images, e.labels(),
			shown, s.Area, s.Area.Size(), evalQuality)
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

// Write writes the page of all images that were added.
func (e *Eval) Write(w io.Writer) error {
	d := page{title: e.Title, labels: e.labels(), settings: e.Settings, command: e.Command}
	out := markup.NewWriter(w)
	d.begin(out)
	d.bar(out)
	e.table(out)
	out.Put("<h2>Crops that the program chose</h2>\n")
	for i, img := range e.images {
		out.Put("<section>\n<h3 id=\"image%d\">%s</h3>\n<p class=\"soft\">%s; noisy %.2f dB", i, img.Name, img.Found,
			img.Noisy.PSNR)
		for j, s := range img.Models {
			out.Put(", %s %.2f dB", e.Models[j], s.PSNR)
		}
		out.Put("</p>\n<div class=\"spots\">\n")
		for _, f := range img.Spots {
			f.write(out, "spot")
		}
		out.Put("</div>\n<details><summary>Noise over brightness</summary>%s</details>\n</section>\n", img.Curve)
	}
	return d.end(out)
}

// table writes the scores of all images and their means.
func (e *Eval) table(w markup.Writer) {
	w.Put(`<h2>PSNR and SSIM</h2>
<div class="table" tabindex="0" role="region" aria-label="PSNR and SSIM"><table>
<thead><tr><th scope="col">image</th><th scope="col">noisy dB</th><th scope="col">SSIM</th>`)
	for _, m := range e.Models {
		w.Put(`<th scope="col">%s dB</th><th scope="col">gain</th><th scope="col">SSIM</th>`, m)
	}
	w.Put("</tr></thead>\n<tbody>\n")
	mean := evalImage{Models: make([]Score, len(e.Models))}
	most := 1.0
	for _, img := range e.images {
		mean.Noisy.add(img.Noisy, float64(len(e.images)))
		for i, s := range img.Models {
			mean.Models[i].add(s, float64(len(e.images)))
			most = max(most, gain(s, img.Noisy))
		}
	}
	for i, img := range e.images {
		w.Put(`<tr><td><a href="#image%d">%s</a></td>`, i, img.Name)
		img.cells(w, most)
	}
	w.Put(`<tr class="mean"><td>mean</td>`)
	mean.cells(w, most)
	w.Put("</tbody></table></div>\n")
}

// cells writes the scores of an image. Most is the gain that fills a bar.
func (img evalImage) cells(w markup.Writer, most float64) {
	w.Put("<td>%.2f</td><td>%.4f</td>", img.Noisy.PSNR, img.Noisy.SSIM)
	best := math.Inf(-1)
	for _, s := range img.Models {
		best = max(best, s.PSNR)
	}
	for _, s := range img.Models {
		class := attribute(len(img.Models) > 1 && s.PSNR == best, ` class="best"`)
		g := gain(s, img.Noisy)
		w.Put(`<td%s>%.2f</td><td>%+.2f <meter max="100" value="%.0f" aria-label="gain %.2f dB"></meter></td><td>%.4f</td>`,
			class, s.PSNR, g, 100*max(0, g)/most, g, s.SSIM)
	}
	w.Put("</tr>\n")
}

// gain is in dB over the noisy image.
func gain(s, noisy Score) float64 { return limited(s.PSNR) - limited(noisy.PSNR) }

func (s *Score) add(o Score, n float64) {
	s.PSNR += o.PSNR / n
	s.SSIM += o.SSIM / n
}

// limited replaces the infinite PSNR of equal images.
func limited(psnr float64) float64 { return min(psnr, 100) }
