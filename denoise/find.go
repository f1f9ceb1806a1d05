package denoise

// detectors returns all detectors of noise, in their order; docs/noise.md has the same list. The first ones look for
// noise that is equally strong in all places, until one knows it; "correlated" always does. Then those with revises may
// replace the answer.
func detectors() []detector {
	return []detector{
		{name: "synthetic", find: view.synthetic},
		{name: "brightness", find: view.ofBrightness},
		{name: "channels", find: view.ofChannels},
		{name: "colour photons", find: view.photonsOfColours},
		{name: "inverse photons", find: view.inversePhotons},
		{name: "colour grain", find: view.correlatedColours},
		{name: "colours", find: view.whiteOfColours},
		{name: "photons", find: view.photons},
		{name: "white", find: view.white},
		{name: "correlated", find: view.correlated},
		{name: "curve", find: view.ofCurve, revises: true},
		{name: "steps", find: view.underSteps, revises: true},
		{name: "upsampled", find: view.upsampled, revises: true},
		{name: "places", find: view.ofPlaces, revises: true},
	}
}

// detector recognises one kind of noise. It gets the finding so far.
type detector struct {
	name    string
	find    func(view, finding) (answer, error)
	revises bool
}

// noiseOf returns the noise that the options give, or else finds it.
func (j job) noiseOf(c channel) (f finding, err error) {
	if n, ok := j.given(c.image); ok {
		f.noise, err = n.of(j, c.image, c.invalid)
		return f, err
	}
	v, err := j.viewOf(c.image, c.invalid)
	if err != nil {
		return finding{}, err
	}
	if f, err = v.detect(); err != nil {
		return finding{}, err
	}
	f.noise.places = f.noise.places.moved(v.at.Div(max(f.noise.scale, 1)))
	f.noise, err = f.noise.of(j, c.image, c.invalid)
	return f, err
}

// detect runs the detectors on the view.
func (v view) detect() (f finding, err error) {
	for _, d := range detectors() {
		if d.revises != (f.sure > 0) {
			continue
		}
		a, err := d.find(v, f)
		if err != nil {
			return finding{}, err
		}
		if a.other != nil {
			inner, err := a.other.detect()
			if err != nil {
				return finding{}, err
			}
			var fits bool
			if a.noise, fits = a.noise.over(inner.noise); !fits {
				continue
			}
			a.sure = min(a.sure, inner.sure)
		}
		if a.sure > 0 {
			f = finding{a.noise, d.name, a.sure}
		}
	}
	return f, nil
}

func (v view) synthetic(finding) (answer, error) {
	if !v.drawn.All() {
		return answer{}, nil
	}
	return answer{noise: noiseModel{estimated: true}, sure: 1}, nil
}

// given returns the noise that the options give, or false if they give none.
func (j job) given(img image) (n noiseModel, ok bool) {
	switch {
	case j.Noise == None:
		return n, true
	case j.Noise == Poisson && j.Photons != (PhotonNoise{}):
		return givenPhotons(j.Photons, j.Photons.Offset, false), true
	case j.Profile != nil:
		return j.Profile.found(img), true
	case j.Sigma > 0:
		return newEven(j.Sigma/255, img.unit(), j.Noise == Camera, false), true
	}
	return n, false
}
