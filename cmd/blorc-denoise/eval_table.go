package main

import (
	"encoding/json"
	"fmt"
	"math"
	"text/tabwriter"

	"github.com/blorc-denoise/blorc-denoise/denoise"
)

// score is the quality of one image.
type score struct {
	PSNR float64  `json:"psnr"`
	SSIM float64  `json:"ssim"`
	Gain *float64 `json:"gain,omitempty"` // of PSNR, over the noisy image
}

// over returns the score with its gain over that of the noisy image.
func (s score) over(noisy score) score {
	gain := 0.0
	if s.PSNR != noisy.PSNR { // both may be infinite
		gain = math.Min(s.PSNR, mostPSNR) - math.Min(noisy.PSNR, mostPSNR)
	}
	s.Gain = &gain
	return s
}

// mostPSNR is written for equal images. Their PSNR is infinite, which JSON cannot hold.
const mostPSNR = 1000

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

// meanOf averages the rows. It returns nil if there are none.
func meanOf(rows []evalImage) *evalImage {
	n := float64(len(rows))
	return summary("mean", rows, func(a, b float64) float64 { return a + b/n }, 0)
}

// leastOf returns the least of each column.
func leastOf(rows []evalImage) *evalImage { return summary("least", rows, math.Min, math.Inf(1)) }

// summary joins the rows, number by number.
func summary(name string, rows []evalImage, join func(a, b float64) float64, first float64) *evalImage {
	if len(rows) == 0 {
		return nil
	}
	sum := evalImage{Image: name, Sigma: first, Noisy: score{PSNR: first, SSIM: first}, Models: make([]score, len(rows[0].Models))}
	for i := range sum.Models {
		gain := first
		sum.Models[i] = score{first, first, &gain}
	}
	add := func(s *score, o score) {
		s.PSNR, s.SSIM = join(s.PSNR, o.PSNR), join(s.SSIM, o.SSIM)
		if s.Gain != nil {
			*s.Gain = join(*s.Gain, *o.Gain)
		}
	}
	for _, r := range rows {
		sum.Sigma = join(sum.Sigma, r.Sigma)
		add(&sum.Noisy, r.Noisy)
		for i := range sum.Models {
			add(&sum.Models[i], r.Models[i])
		}
	}
	return &sum
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
			fmt.Fprintf(w, "%.2f\t%+.2f\t%.4f\t", s.PSNR, *s.Gain, s.SSIM)
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
	limit := func(r evalImage) evalImage {
		r.Bytes = oddBytes(r.Image)
		r.Noisy.PSNR = math.Min(r.Noisy.PSNR, mostPSNR)
		models := make([]score, len(r.Models))
		for i, s := range r.Models {
			s.PSNR = math.Min(s.PSNR, mostPSNR)
			models[i] = s
		}
		r.Models = models
		return r
	}
	images := make([]evalImage, len(t.Images))
	for i, r := range t.Images {
		images[i] = limit(r)
	}
	t.Images = images
	for _, r := range []**evalImage{&t.Mean, &t.Least} {
		if *r != nil {
			limited := limit(**r)
			*r = &limited
		}
	}
	return t
}
