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

// meanOf averages the rows. It returns nil if there are none.
func meanOf(rows []evalImage) *evalImage {
	return summary("mean", rows, func(column []float64) float64 {
		sum := 0.0
		for _, v := range column {
			sum += v
		}
		return sum / float64(len(column))
	})
}

// minOf returns the least of each column.
func minOf(rows []evalImage) *evalImage { return summary("least", rows, slices.Min[[]float64]) }

// summary joins the rows, number by number. Infinite PSNR, gains that are not there and levels of 0 do not count beside
// others.
func summary(name string, rows []evalImage, join func(column []float64) float64) *evalImage {
	if len(rows) == 0 {
		return nil
	}
	// of joins a number of all rows, where ok says that it counts. None is the result if no number counts.
	of := func(number func(r evalImage) (v float64, ok bool), none float64) float64 {
		var column []float64
		for _, r := range rows {
			if v, ok := number(r); ok {
				column = append(column, v)
			}
		}
		if len(column) == 0 {
			return none
		}
		return join(column)
	}
	joined := func(get func(r evalImage) score) score {
		s := score{
			PSNR: of(func(r evalImage) (float64, bool) { v := get(r).PSNR; return v, !math.IsInf(v, 0) }, math.Inf(1)),
			SSIM: of(func(r evalImage) (float64, bool) { return get(r).SSIM, true }, 0),
		}
		gain := of(func(r evalImage) (float64, bool) {
			if g := get(r).Gain; g != nil {
				return *g, true
			}
			return 0, false
		}, math.NaN())
		if !math.IsNaN(gain) {
			s.Gain = &gain
		}
		return s
	}
	sum := evalImage{Image: name, Noisy: joined(func(r evalImage) score { return r.Noisy })}
	sum.Sigma = of(func(r evalImage) (float64, bool) { return r.Sigma, r.Sigma > 0 }, 0)
	for i := range rows[0].Models {
		sum.Models = append(sum.Models, joined(func(r evalImage) score { return r.Models[i] }))
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
	limit := func(r evalImage) evalImage {
		r.Bytes = oddBytes(r.Image)
		r.Noisy.PSNR = math.Min(r.Noisy.PSNR, maxPSNR)
		models := make([]score, len(r.Models))
		for i, s := range r.Models {
			s.PSNR = math.Min(s.PSNR, maxPSNR)
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
