package denoise

import (
	"cmp"
	goimage "image"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// picture is an image with its channels. Its steps are prepare, find, and remove for an area, which also inverts what
// prepare did. Whole images, crops, parts, series, bursts and pictures of inks all take these steps.
type picture struct {
	j        job
	img      *imageio.Image    // with its invalid samples filled in, and divided by the scale
	source   *imageio.Image    // the image as it was, or nil if prepare may have changed it
	scale    float64           // of the samples, see scaleOf
	there    goimage.Rectangle // the part of the image that the file has
	limit    bool              // no colour may be above alpha
	invalid  *invalidSamples
	groups   groups
	channels []channel
	inks     *inks // nil if the channels are those of the image

	turn turn // guards the chroma of the channels
}

// preparing are the settings of prepare.
type preparing struct {
	white  float64 // full scale of float samples
	change bool    // prepare may change the image itself; else it changes a copy
	raw    bool    // the planes are gray, or red, green and blue, without a test

	measured goimage.Rectangle // where the noise is measured, if it is not the zero rectangle
}

// prepare fills in the invalid samples of an image, and divides its planes into channels.
func (j job) prepare(img *imageio.Image, how preparing) (*picture, error) {
	if light := j.lightOf(img, how); light != nil {
		return j.prepareInks(img, light, how)
	}
	p := &picture{scale: scaleOf(img), there: present(img), limit: belowAlpha(img), turn: newTurn()}
	if !how.change {
		p.source = img
	}
	if p.scale != 1 {
		how.white = p.scale * img.FullScale(how.white)
		if !how.change {
			img, how.change = cloneImage(img), true
		}
		multiply(slices.Concat(img.Planes, img.Extra), 1/p.scale, j.Workers)
	}
	j = j.atScale(p.scale)
	p.j = j
	var err error
	if p.invalid, err = j.invalidOf(img, p.there, how.white); err != nil {
		return nil, err
	}
	p.img = p.invalid.fillIn(img, p.there, how.change)
	if err := j.err(); err != nil {
		return nil, err
	}
	planes := areaOf(p.img, p.img.Planes, p.there)
	if p.groups, err = j.groupsOf(image{planes, p.there.Dx(), p.there.Dy()}, how.raw); err != nil {
		return nil, err
	}
	all := slices.Concat(planes, areaOf(p.img, p.img.Extra, p.there))
	numbers := slices.Clone(p.groups.groups)
	for i := len(planes); i < len(all); i++ {
		if !twoValues(all[i]) {
			numbers = append(numbers, []int{i})
		}
	}
	for _, n := range numbers {
		c := channel{image: image{pick(all, n), p.there.Dx(), p.there.Dy()}, invalid: p.invalid.ofChannel(n),
			numbers: n}
		if err := checkFinite(c.planes, c.width); err != nil {
			return nil, err
		}
		p.channels = append(p.channels, c)
	}
	return p, nil
}

// find finds the noise of all channels from the samples of an area of the image.
func (p *picture) find(area goimage.Rectangle) error {
	if p.inks != nil {
		return p.inks.light.find(area)
	}
	for i := range p.channels {
		c, j := &p.channels[i], p.j
		j.channel = i
		if err := j.Profile.fits(len(c.planes)); err != nil {
			return err
		}
		if n, detector, ok := sharedNoise(j.ctx).of(i, len(c.planes), p.scale); ok {
			c.noise, c.detector = n, detector
			continue
		}
		cut := *c
		if area != p.there {
			cut.image = image{cutAll(c.planes, c.width, area.Sub(p.there.Min)), area.Dx(), area.Dy()}
			cut.invalid = nil
		}
		found, err := j.noiseOf(cut)
		if err != nil {
			return err
		}
		c.noise, c.detector = found.noise, found.detector
		c.noise.places = c.noise.places.moved(area.Min.Sub(p.there.Min).Div(max(c.noise.scale, 1)))
	}
	return nil
}

// result returns the noise of the picture, in units of full scale.
func (p *picture) result() Result {
	if p.inks != nil {
		return p.inks.light.result()
	}
	var results []Result
	for _, c := range p.channels {
		r := c.noise.result()
		r.Rule = c.detector
		results = append(results, r)
	}
	r := p.groups.result(results).atScale(p.scale)
	r.Hot, r.Masked = p.invalid.hot, p.invalid.masked
	return r
}

// remove removes the noise of an area, and inverts what prepare did there. Out is the area of p.img: a copy of it, or
// p.img itself for all of it. A margin above 0 limits how far around the area models use samples. Remove returns the
// name of a model, or "" if no noise was removed.
func (p *picture) remove(j job, out *imageio.Image, area goimage.Rectangle, margin int) (model string, err error) {
	if p.inks != nil {
		return p.removeInks(j, out, area, margin)
	}
	before := p.groups.remember(out.Planes)
	inside := area.Intersect(p.there)
	channels := slices.IndexFunc(p.channels, func(c channel) bool { _, ok := c.of(out); return !ok })
	if channels < 0 {
		channels = len(p.channels) // else out has no extra planes
	}
	for i := range channels {
		planes, _ := p.channels[i].of(out)
		if inside.Empty() {
			continue
		}
		j := j.share(i, channels)
		j.channel = i
		own := &planes[0][0] == &p.channels[i].planes[0][0] // then out is p.img itself
		name, samples, err := p.removeChannel(j, &p.channels[i], inside, margin, own)
		if err != nil {
			return "", err
		}
		pasteAll(planes, out.Width, samples, inside.Sub(area.Min))
		model = cmp.Or(model, name)
	}
	if err := j.err(); err != nil {
		return "", err
	}
	p.groups.complete(out.Planes, before, area.Sub(p.there.Min))
	var source [][]float32
	if p.source != nil {
		source = slices.Concat(p.source.Planes, p.source.Extra)
	}
	p.invalid.restore(slices.Concat(out.Planes, out.Extra), area, p.there.Min, source, p.img.Width, p.scale)
	multiply(slices.Concat(out.Planes, out.Extra), p.scale, j.Workers)
	if model != "" || p.invalid.hot > 0 {
		if p.limit {
			keepBelowAlpha(out)
		}
		out.Depth = max(out.Depth, imageio.Depth8)
	}
	return model, nil
}

// removeChannel removes the noise of a channel from an area of the image, and returns the samples. It returns none if
// there is no noise, or if change lets it change the planes of the channel themselves.
func (p *picture) removeChannel(j job, c *channel, area goimage.Rectangle, margin int, change bool) (model string,
	samples [][]float32, err error) {
	n := c.noise
	if n.isNone() || j.keepsAll(len(c.planes)) {
		return "", nil, nil
	}
	if change {
		if model, err = n.remove(j, c.image); err == nil {
			j.dither(c.image, goimage.Rect(0, 0, c.width, c.height))
		}
		return model, nil, err
	}
	m, err := n.margins(len(c.planes), j)
	if err != nil {
		return "", nil, err
	}
	if margin > 0 && (m.whole || margin < m.after) {
		after := margin
		if m.whole {
			after = max(margin, previewReach)
		}
		m = margins{align: previewAlign, after: after}
	} else if j.within.chroma, err = p.wholeChroma(j, c); err != nil {
		return "", nil, err
	}
	source, _ := c.of(p.img)
	return j.removePart(n, image{source, p.img.Width, p.img.Height}, p.there, area, m)
}

// wholeChroma returns the chroma of a channel, or nil if the noise and the options need none.
func (p *picture) wholeChroma(j job, c *channel) (*wholeChroma, error) {
	if err := p.turn.take(j.ctx); err != nil {
		return nil, err
	}
	defer p.turn.give()
	if c.chroma != nil { // if it is needed, it does not depend on the options
		return c.chroma, nil
	}
	var err error
	c.chroma, err = c.noise.wholeChroma(j, c.image)
	return c.chroma, err
}

// margin returns the margin of the parts of a picture. It is zero if parts cannot be denoised alone: each would have
// another noise than the whole, or another size after a reduction.
func (p *picture) margin() (Margin, error) {
	if p.inks != nil {
		return p.inks.light.margin()
	}
	all := margins{align: 1}
	for _, c := range p.channels {
		m, err := c.noise.margins(len(c.planes), p.j)
		if err != nil || c.noise.scale > 1 {
			return Margin{}, err
		}
		if m.whole { // then a network comes first
			m.after += previewReach
			m = m.union(margins{align: previewAlign})
		}
		all = all.union(m)
	}
	if all.after == 0 {
		return Margin{Multiple: 1}, nil
	}
	reach := all.after + p.j.reachAfter()
	return Margin{(reach + all.align - 1) / all.align * all.align, all.align}, nil
}

// previewAlign is the alignment of parts with a smaller margin than models need. At most strides, the patches of local
// stages then are those of the whole image.
const previewAlign = 48

// previewReach is the least margin for models that need the whole image, such as a network.
const previewReach = 96
