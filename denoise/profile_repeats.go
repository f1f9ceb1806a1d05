package denoise

import (
	"fmt"
	"math"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/noisecurve"
)

// Repeats measures noise from several shots of one scene. The zero value has no shots yet.
type Repeats struct {
	// White is the full scale of float files; 0 means 1.
	White float64

	last   *imageio.Image
	name   string
	full   float64
	files  []string
	curves noisecurve.Repeats
	pairs  int
}

// Drift says how a shot differs from the one before it.
type Drift struct {
	Factor float64 // of its brightness
	Offset float64 // added to its brightness, in the unit of the file
	Shift  float64 // in pixels; 0 if none is measurable
}

const (
	// Shots are refused if a shift of so many pixels explains this share of the difference.
	maxShift, maxExplained = 0.3, 0.05
	// minSame is the correlation of two shots of one scene, in blocks of 8 x 8 samples.
	minSame = 0.5
	// A shift is reported if it explains at least the share clearExplained of the difference.
	clearExplained = 0.005
	// straightMisfit is how far noise may be from a straight line, in shares of its standard deviation, to count as
	// photon noise.
	straightMisfit = 0.06
	// minApart is how much stronger noise is in the luma, or in a channel, for it to count.
	minApart = 0.05
)

// Add takes the next shot, and compares it with the one before. It keeps the image. Name is the name of its file.
//
// Shots that do not fit together are errors of the kind ErrShots: of other sizes or depths, not aligned, or of another
// scene.
func (r *Repeats) Add(name string, img *imageio.Image) (Drift, error) {
	d := Drift{Factor: 1}
	if err := checkImage(img); err != nil {
		return d, err
	}
	if len(img.Planes) != 1 && len(img.Planes) != 3 {
		return d, fmt.Errorf("%w: noise of CMYK colour from repeats", imageio.ErrUnsupported)
	}
	if n := len(img.Planes) + len(img.Extra); len(img.Extra) > 0 {
		return d, fmt.Errorf("%w: noise of %d channels from repeats; measure each in a file of its own",
			imageio.ErrUnsupported, n)
	}
	if r.last == nil {
		r.full = img.FullScale(r.White)
	} else {
		var err error
		if d, err = r.compare(img); err != nil {
			return d, err
		}
		r.pairs++
	}
	r.last, r.name = img, name
	if n := len(r.files); n == 0 || r.files[n-1] != name {
		r.files = append(r.files, name)
	}
	return d, nil
}

func (r *Repeats) compare(img *imageio.Image) (Drift, error) {
	a := r.last
	d := Drift{Factor: 1}
	switch {
	case img.Width != a.Width || img.Height != a.Height:
		return d, fmt.Errorf("%w: %d x %d pixels, but %s has %d x %d", ErrShots, img.Width, img.Height, r.name, a.Width,
			a.Height)
	case len(img.Planes) != len(a.Planes):
		return d, fmt.Errorf("%w: only one of it and %s is in colour", ErrShots, r.name)
	case img.Depth != a.Depth:
		return d, fmt.Errorf("%w: samples of another depth than in %s", ErrShots, r.name)
	}
	c := r.curves.Add(a.Planes, img.Planes, img.Width, img.Height)
	d.Factor, d.Offset = c.Factor, c.Offset*r.full
	if c.Explained > clearExplained {
		d.Shift = c.Shift
	}
	switch {
	case c.Explained > maxExplained && c.Shift > maxShift:
		return d, fmt.Errorf("%w: not aligned with %s: shifted by about %.1f pixels", ErrShots, r.name, c.Shift)
	case c.Same < minSame:
		return d, fmt.Errorf("%w: not a shot of the same scene as %s", ErrShots, r.name)
	}
	return d, nil
}

// Profile returns the noise of the shots.
func (r *Repeats) Profile() (*Profile, error) {
	if r.pairs == 0 {
		return nil, badArgument("at least two shots are needed")
	}
	all := r.curves.Curve(-1)
	if len(all.Points) == 0 {
		return nil, fmt.Errorf("%w: the shots are equal, or clipped everywhere: they show no noise", ErrShots)
	}
	p := &Profile{Version: profileVersion, FullScale: r.full, Broad: rounded(math.Sqrt(all.Broad())), Files: r.files}
	if luma := r.curves.Luma(); luma > 1+minApart {
		p.Luma = rounded(luma)
	}
	curves := []noisecurve.Curve{all}
	if planes := len(r.last.Planes); planes == 3 && r.channelsDiffer(all) {
		curves = nil
		for i := range planes {
			c := r.curves.Curve(i)
			if len(c.Points) == 0 {
				return nil, fmt.Errorf("%w: a colour is clipped everywhere, or does not change: it shows no noise",
					ErrShots)
			}
			curves = append(curves, c)
		}
	}
	var fits []noisecurve.Fit
	for _, c := range curves {
		fits = append(fits, c.Line())
	}
	p.Kind = kindOf(curves, fits)
	if p.Kind == Poisson && p.IsBroad() { // no counts of photons
		p.Kind = Curve
	}
	for i, c := range curves {
		p.Channels = append(p.Channels, channelOf(p.Kind, c, fits[i], r.full, p.wholeSigma()))
	}
	return p, p.Check()
}

// NoiseCurve is noise over brightness, on a scale of 0 to 1: variances at gray levels. Dots are blocks of shots, Points
// are means of blocks.
type NoiseCurve = noisecurve.Curve

// Curves returns the noise that the profile comes from, for each of its channels.
func (r *Repeats) Curves(p *Profile) (curves []NoiseCurve) {
	for i := range p.Channels {
		if len(p.Channels) == 1 {
			i = -1
		}
		curves = append(curves, r.curves.Curve(i))
	}
	return curves
}

// channelsDiffer reports whether one noise for all channels would be wrong.
func (r *Repeats) channelsDiffer(all noisecurve.Curve) bool {
	for i := range r.last.Planes {
		c := r.curves.Curve(i)
		if len(c.Points) > 0 && c.Apart(all) > minApart {
			return true
		}
	}
	return false
}

// kindOf returns the kind of noise that fits all curves.
func kindOf(curves []noisecurve.Curve, fits []noisecurve.Fit) Noise {
	kind := Gaussian
	for i, f := range fits {
		switch {
		case f.Kind != noisecurve.White && f.Kind != noisecurve.Photon, curves[i].Misfit(f) > straightMisfit:
			return Curve
		case f.Kind == noisecurve.Photon:
			kind = Poisson
		}
	}
	return kind
}

// wholeSigma returns the standard deviation of correlated noise over that of its fine part. Of the 64 frequencies of a
// block, 28 are fine.
func (p *Profile) wholeSigma() float64 {
	if !p.IsBroad() {
		return 1
	}
	return math.Sqrt((28 + 36*p.Broad*p.Broad) / 64)
}

// channelOf returns the noise of a curve in the unit of the file. Whole is the ratio of the standard deviation of the
// noise over that of its fine part; the curve has that of the fine part.
func channelOf(kind Noise, c noisecurve.Curve, f noisecurve.Fit, full, whole float64) ChannelNoise {
	switch kind {
	case Gaussian:
		return ChannelNoise{Sigma: rounded(full * whole * f.Sigma)}
	case Poisson:
		if f.Kind == noisecurve.White { // beside channels of photon noise: as if there were very many photons
			f.Gain, f.Offset, f.ReadNoise = 1e-4*f.Sigma, c.Low, f.Sigma
		}
		n := ChannelNoise{Gain: rounded(full * f.Gain), Offset: rounded(full * f.Offset),
			ReadNoise: rounded(full * f.ReadNoise)}
		if f.Dark > f.Offset {
			n.Dark = rounded(full * f.Dark)
		}
		return n
	}
	var n ChannelNoise
	for _, p := range c.Points {
		n.Points = append(n.Points, NoisePoint{rounded(full * p.Level), rounded(full * whole * math.Sqrt(p.Variance))})
	}
	return n
}

// rounded rounds to five digits that count, which is more than can be measured.
func rounded(v float64) float64 {
	if v == 0 || !isFinite(v) {
		return v
	}
	unit := math.Pow(10, math.Floor(math.Log10(math.Abs(v)))-4)
	if unit < 1 {
		return math.Round(v/unit) / math.Round(1/unit)
	}
	return math.Round(v/unit) * unit
}
