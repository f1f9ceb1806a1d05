package denoise

import (
	"math"

	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// remove removes the noise from an image in place, and returns the name of the model for the gray plane or the luma.
// The clamp bounds the change of samples; nil bounds nothing.
func (n evenNoise) remove(j job, img image, c *clamp) (string, error) {
	r, err := n.begin(j, img)
	if err != nil {
		return "", err
	}
	if _, err := r.run(c, false); err != nil {
		return "", err
	}
	return r.end(), nil
}

// removing is an image whose noise is being removed. Until the end, its colours are luma and chroma.
type removing struct {
	n     evenNoise
	j     job
	img   image
	tasks []task
}

// removal is planes before and after their noise was removed.
type removal struct{ noisy, result [][]float32 }

// begin runs the network, if there is one, and chooses the models for each plane.
func (n evenNoise) begin(j job, img image) (*removing, error) {
	r := &removing{n: n, img: img}
	lift(img.planes, -n.pedestal)
	var pilots [][]float32
	var err error
	if pilots, r.j, err = n.runNetwork(j, img); err != nil {
		return nil, err
	}
	if len(img.planes) == 3 {
		decorrelate(img.planes, j.pool())
		if len(pilots) == 3 {
			decorrelate(pilots, j.pool())
		}
	}
	if err := j.err(); err != nil {
		return nil, err
	}
	choose := n.choose(len(img.planes), j.Options)
	for i, p := range img.planes {
		m, err := choose(i)
		if err != nil {
			return nil, err
		}
		t := task{plane: patchify.Plane{Width: img.width, Height: img.height, Pix: p}, planeModel: m}
		if i < len(pilots) {
			t.pilot = patchify.Plane{Width: img.width, Height: img.height, Pix: pilots[i]}
		}
		r.tasks = append(r.tasks, t)
	}
	return r, j.err() // loading models may have taken a while
}

// run denoises the planes. If wanted is set, it returns the planes before and after.
func (r *removing) run(c *clamp, wanted bool) (done removal, err error) {
	if wanted {
		done.noisy = clonePlanes(r.img.planes)
	}
	noisy := r.j.noisyLuma(r.img.planes[0])
	if err := newTiler(r.tasks, r.j, c).denoise(r.j.ctx); err != nil {
		return removal{}, err
	}
	if giveGrainBack(r.img.planes[0], noisy, r.img.width, r.j.Grain); wanted {
		done.result = clonePlanes(r.img.planes)
	}
	return done, nil
}

// end undoes what begin did to the planes, and returns the name of the first model.
func (r *removing) end() string {
	if len(r.img.planes) == 3 {
		correlate(r.img.planes, r.j.pool())
	}
	lift(r.img.planes, r.n.pedestal)
	return r.tasks[0].name()
}

// colours returns copies of planes as they would be after the end.
func (r *removing) colours(d removal) removal {
	for _, planes := range [][][]float32{d.noisy, d.result} {
		if len(planes) == 3 {
			correlate(planes, pool{workers: 1})
		}
		lift(planes, r.n.pedestal)
	}
	return d
}

// margins returns the samples around a part that the models need.
func (n evenNoise) margins(planes int, j job) (margins, error) {
	choose, models := n.choose(planes, j.Options), make([]planeModel, planes)
	for i := range planes {
		var err error
		if models[i], err = choose(i); err != nil {
			return margins{}, err
		}
	}
	m := marginsOf(models)
	// the network computes images in parts whose places depend on the size
	m.whole = n.networkPlanes(planes, j.Options) > 0
	return m, nil
}

// planFor returns the plan for the noise of an image of some planes.
func (n evenNoise) planFor(planes int, o Options) plan {
	kind := whiteNoise
	switch inNetwork := n.networkPlanes(planes, o); {
	case !o.Models.refined(n.correlated):
		kind = ownModel
	case n.correlated:
		kind = correlatedPlan
	case inNetwork == planes:
		kind = afterNetwork
	case inNetwork > 0:
		kind = afterLuma
	}
	p := plans[kind][o.Quality]
	if o.Stride > 0 {
		p.luma.local = p.luma.local.all(o.Stride)
	}
	if kind == ownModel { // each plane is denoised on its own
		p.chroma.chain = p.luma
	}
	return p
}

// choose returns what chooses the model for plane i.
func (n evenNoise) choose(planes int, o Options) func(i int) (planeModel, error) {
	return n.chooseFor(n.planFor(planes, o), planes, o)
}

// chooseFor is choose for a plan.
func (n evenNoise) chooseFor(plan plan, planes int, o Options) func(i int) (planeModel, error) {
	return func(i int) (planeModel, error) {
		c, sigma, chain := 1.0, n.sigma, plan.luma
		if planes == 3 {
			c = contrast[i]
		}
		if i > 0 {
			chain = plan.chroma.chain
			if n.chroma > 0 {
				sigma = n.chroma
			}
		}
		level := 255 * sigma / c / n.unit
		m, err := o.Models.choose(level)
		if err != nil {
			return planeModel{}, err
		}
		p := planeModel{model: m, sigma: sigma, level: stage.Level(level), chain: chain}
		if i == 0 || plan.network == 1 && !plan.onLuma {
			p.network = plan.network
		}
		if n.correlated && o.Models.forCamera() {
			p.refined = o.Models.String()
		}
		if chain.pilot && p.hasPasses() {
			p.pilotShare = pilotShare(lumaLevel(n.sigma/n.unit, planes))
		}
		if p.steps, err = chain.steps(m, o.Models); err != nil || i == 0 || plan.chroma.model == "" {
			return p, err
		}
		pilots := plan.network > 0 && !plan.onLuma
		p.chroma, err = newChromaModels(plan.chroma, o.Models, 255*sigma/n.unit, n.sigma/sigma, pilots)
		return p, err
	}
}

// pilotShare returns the share of the passes in the mean with what the models for correlated noise make of them, for a
// level of luma. Those models fit the cameras of their training. The passes fit none, and are better for some other
// cameras. But in pictures with next to no noise, the models keep more texture.
func pilotShare(luma float64) float32 {
	const (
		most      = 0.4
		none, all = 2.3 / 255, 4.6 / 255
	)
	return float32(most * between(luma, none, all))
}

// lumaLevel returns the level of the luma as for a gray image, given that of an image of one or three planes.
func lumaLevel(sigma float64, planes int) float64 { return sigma / math.Sqrt(float64(planes)) }

// between returns where a positive number lies between two others in logarithms: 0 up to none, 1 from all on.
func between(v, none, all float64) float64 {
	return min(max(math.Log(v/none)/math.Log(all/none), 0), 1)
}
