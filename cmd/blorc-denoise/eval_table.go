package main

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"text/tabwriter"

	"github.com/blorc-denoise/blorc-denoise/denoise"
)

// score is the quality of one image.
type score struct {
	PSNR float64  `json:"psnr"`
	SSIM float64  `json:"ssim"`
	Gain *float64 `json:"gain,omitempty"` // of PSNR, over the noisy image
}

// over returns the score with its gain over that of the noisy image. There is none over or of an image that equals the
// clean one.
func (s score) over(noisy score) score {
	if math.IsInf(s.PSNR, 0) || math.IsInf(noisy.PSNR, 0) {
		return s
	}
	gain := s.PSNR - noisy.PSNR
	s.Gain = &gain
	return s
}

// maxPSNR is written for equal images. Their PSNR is infinite, which JSON cannot hold.
const maxPSNR = 1000

// evalImage holds the scores of one image, those of the models in the order of evalTable.Models.
type evalImage struct {
	Image  string       `json:"image"`
	Bytes  []byte       `json:"image_base64,omitempty"` // if the name is not UTF-8 and so cannot stand in JSON
	Sigma  float64      `json:"sigma"`                  // level that the models used
	Noise  *noiseRecord `json:"noise,omitempty"`        // that the first model removed
	Noisy  score        `json:"noisy"`
	Models []score      `json:"models"`

	found denoise.Result
}

type evalTable struct {
	Models []string    `json:"models"`
	Images []evalImage `json:"images"`
	Mean   *evalImage  `json:"mean"`
	Least  *evalImage  `json:"least"`

	given bool // one sigma for all images
}

// summarized returns the table with the mean and the least of each column.
func (t evalTable) summarized() evalTable {
	if len(t.Images) > 0 {
		t.Mean, t.Least = summary("mean", t.Images, mean), summary("least", t.Images, slices.Min[[]float64])
	}
	return t
}

func mean(column []float64) float64 {
	sum := 0.0
	for _, v := range column {
		sum += v
	}
	return sum / float64(len(column))
}

// scores returns the scores of a row, those of the noisy image first.
func (r *evalImage) scores() []*score {
	all := []*score{&r.Noisy}
	for i := range r.Models {
		all = append(all, &r.Models[i])
	}
	return all
}

// summary joins the rows, number by number. Infinite PSNR, gains that are not there and levels of 0 do not count beside
// others.
func summary(name string, rows []evalImage, join func(column []float64) float64) *evalImage {
	sum := &evalImage{Image: name, Models: make([]score, len(rows[0].Models))}
	sigma := joined(rows, join, func(r *evalImage) *float64 { return unless(r.Sigma <= 0, &r.Sigma) })
	if sigma != nil {
		sum.Sigma = *sigma
	}
	for i, to := range sum.scores() {
		psnr := joined(rows, join, func(r *evalImage) *float64 {
			v := &r.scores()[i].PSNR
			return unless(math.IsInf(*v, 0), v)
		})
		if to.PSNR = math.Inf(1); psnr != nil {
			to.PSNR = *psnr
		}
		to.SSIM = *joined(rows, join, func(r *evalImage) *float64 { return &r.scores()[i].SSIM })
		to.Gain = joined(rows, join, func(r *evalImage) *float64 { return r.scores()[i].Gain })
	}
	return sum
}

func unless(no bool, v *float64) *float64 {
	if no {
		return nil
	}
	return v
}

// joined joins a number of all rows that have it. It returns nil if none has it.
func joined(rows []evalImage, join func(column []float64) float64, number func(r *evalImage) *float64) *float64 {
	var column []float64
	for i := range rows {
		if v := number(&rows[i]); v != nil {
			column = append(column, *v)
		}
	}
	if len(column) == 0 {
		return nil
	}
	v := join(column)
	return &v
}

// print prints the table. Its last column is the noise, where it was found or differs between images.
func (f *evalFlags) print(u *ui, t evalTable) error {
	if f.json {
		return json.NewEncoder(u.out).Encode(t.inJSON())
	}
	if t.Mean == nil {
		return nil
	}
	w := tabwriter.NewWriter(u.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "image\t")
	if t.given {
		fmt.Fprint(w, "sigma\t")
	}
	fmt.Fprint(w, "noisy dB\tSSIM\t")
	for _, m := range t.Models {
		fmt.Fprintf(w, "%s dB\tgain\tSSIM\t", oneLine(m))
	}
	if !t.given {
		fmt.Fprint(w, "  noise")
	}
	fmt.Fprintln(w)
	rows := append(t.Images[:len(t.Images):len(t.Images)], *t.Mean)
	if len(t.Images) > 1 {
		rows = append(rows, *t.Least)
	}
	for i, r := range rows {
		fmt.Fprintf(w, "%s\t", oneLine(r.Image))
		if t.given {
			fmt.Fprintf(w, "%.1f\t", r.Sigma)
		}
		fmt.Fprintf(w, "%.2f\t%.4f\t", r.Noisy.PSNR, r.Noisy.SSIM)
		for _, s := range r.Models {
			gain := "-"
			if s.Gain != nil {
				gain = fmt.Sprintf("%+.2f", *s.Gain)
			}
			fmt.Fprintf(w, "%.2f\t%s\t%.4f\t", s.PSNR, gain, s.SSIM)
		}
		if !t.given && i < len(t.Images) {
			fmt.Fprintf(w, "  %v", r.found)
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}

// inJSON replaces what JSON cannot hold: infinite numbers, and names that are not UTF-8.
func (t evalTable) inJSON() evalTable {
	images := make([]evalImage, len(t.Images))
	for i, r := range t.Images {
		images[i] = *r.inJSON()
	}
	t.Images, t.Mean, t.Least = images, t.Mean.inJSON(), t.Least.inJSON()
	return t
}

func (r *evalImage) inJSON() *evalImage {
	if r == nil {
		return nil
	}
	out := *r
	out.Bytes, out.Models = oddBytes(r.Image), slices.Clone(r.Models)
	for _, s := range out.scores() {
		s.PSNR = math.Min(s.PSNR, maxPSNR)
	}
	return &out
}
