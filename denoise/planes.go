package denoise

import (
	"context"
	"fmt"
	goimage "image"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/noisecurve"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/model"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// Planes denoises an image of one gray or three colour planes in place. Each plane has width x height samples row by
// row, on a scale of 0 to 1 of full scale. Colour planes must have independent noise. Equal planes are denoised as one
// gray plane. A sample that is NaN or infinite is an ErrArgument, since it would spoil all around it, unless
// Options.KeepInvalid is set. Samples that carry no picture, such as areas of one value, stay as they are; see also
// Options.RemoveHot. After an error the samples mean nothing.
func Planes(ctx context.Context, planes [][]float32, width, height int, o Options) (r Result, err error) {
	if err := checkShape(ctx, planes, width, height); err != nil {
		return Result{}, err
	}
	if err := checkFinite(planes, width); err != nil && !o.KeepInvalid {
		return Result{}, err
	}
	if err := o.Check(); err != nil {
		return Result{}, err
	}
	if err := o.checkCrop(width, height); err != nil {
		return Result{}, err
	}
	o = o.withModels()
	o.ctx = ctx
	e := o.findEmpty([][][]float32{planes}, width, nil, noNoData)
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	e.fill()
	if len(planes) == 1 {
		o.empty = e.ofGroup(0)
	} else {
		o.empty = e.ofGroup(0, 1, 2)
	}
	if r, err = o.planes(ctx, planes, width, height); err == nil {
		e.restore()
		r.Hot = e.hot
	}
	return r, err
}

// planes is Planes without the search for samples that carry no picture.
func (o Options) planes(ctx context.Context, planes [][]float32, width, height int) (r Result, err error) {
	if err := o.Profile.fits(len(planes)); err != nil {
		return Result{}, err
	}
	if len(planes) == 3 && o.Profile == nil {
		if from := firstEqual(planes); from[1] == 0 || from[2] < 2 {
			return o.separate(ctx, planes, from, width, height)
		}
	}
	img := image{planes, width, height}
	var rule string
	o.decided, o.ctx = &rule, ctx
	found := o.shared.of(o.job, len(planes))
	if found == nil {
		found = o.measureWhole(img)
	} else {
		rule = o.shared.rules[o.job]
	}
	if err := ctx.Err(); err != nil { // what was measured may be half of it
		return Result{}, err
	}
	r = found.result()
	r.Rule = rule
	if isNone(found) || o.keepsAll(len(planes)) {
		return r, nil
	}
	if o.Crop.Empty() {
		if r.Model, err = found.remove(ctx, img, o); err == nil {
			o.dither(img, goimage.Rect(0, 0, width, height))
		}
		return r, err
	}
	m, err := found.margins(len(planes), o)
	if err != nil {
		return Result{}, err
	}
	if o.within.chroma, err = found.wholeChroma(ctx, img, o); err != nil {
		return Result{}, err
	}
	var part [][]float32
	if r.Model, part, err = removePart(ctx, found, img, goimage.Rect(0, 0, width, height), o.Crop, m, o); err == nil {
		pasteAll(planes, width, part, o.Crop)
	}
	return r, err
}

// firstEqual returns for each plane the number of the first one that is equal to it.
func firstEqual(planes [][]float32) []int {
	from := make([]int, len(planes))
	for i, p := range planes {
		if from[i] = slices.IndexFunc(planes[:i], func(q []float32) bool { return slices.Equal(p, q) }); from[i] < 0 {
			from[i] = i
		}
	}
	return from
}

// separate denoises each different plane as a gray image, and copies the results to the planes that are equal. It
// returns the result of plane 0.
func (o Options) separate(ctx context.Context, planes [][]float32, from []int, width, height int) (first Result,
	err error) {
	o.shared = nil
	for i, p := range planes {
		if from[i] < i {
			copy(p, planes[from[i]])
			continue
		}
		o.job = i
		r, err := o.part(i, len(planes)).planes(ctx, planes[i:i+1], width, height)
		if err != nil {
			return Result{}, err
		}
		if i == 0 {
			first = r
		}
	}
	return first, nil
}

func checkPlanes(ctx context.Context, planes [][]float32, width, height int) error {
	if err := checkShape(ctx, planes, width, height); err != nil {
		return err
	}
	return checkFinite(planes, width)
}

// checkShape is checkPlanes without a look at the samples.
func checkShape(ctx context.Context, planes [][]float32, width, height int) error {
	if err := checkContext(ctx); err != nil {
		return err
	}
	if len(planes) != 1 && len(planes) != 3 {
		return badArgument("an image of %d planes is neither gray nor colour", len(planes))
	}
	return checkSize(planes, width, height)
}

// checkFinite reports samples that are no numbers: one of them would blacken all that is denoised together with it.
func checkFinite(planes [][]float32, width int) error {
	for _, p := range planes {
		for i, v := range p {
			if v-v != 0 {
				return badArgument("the sample at column %d, row %d is %g", i%width, i/width, v)
			}
		}
	}
	return nil
}

// checkImage reports an image without planes, or with some that do not have its size.
func checkImage(img *imageio.Image) error {
	switch {
	case img == nil:
		return badArgument("no image")
	case len(img.Planes) == 0:
		return badArgument("an image without planes")
	}
	all := slices.Concat(img.Planes, img.Extra)
	if img.Alpha != nil {
		all = append(all, img.Alpha)
	}
	return checkSize(all, img.Width, img.Height)
}

// checkSize reports planes that do not have a size.
func checkSize(planes [][]float32, width, height int) error {
	if width < 1 || height < 1 || width > maxSide || height > maxSide {
		return badArgument("an image of %d x %d samples", width, height)
	}
	for _, p := range planes {
		if len(p) != width*height {
			return badArgument("a plane of %d samples for an image of %d x %d", len(p), width, height)
		}
	}
	return nil
}

// maxSide keeps products of sides from overflowing.
const maxSide = 1 << 30

// image is the planes of an image and their size.
type image struct {
	planes        [][]float32
	width, height int
}

// foundNoise is the noise of an image, given or measured. Each type that implements it has its own file:
// noise_gaussian.go, noise_broad.go, noise_even.go, noise_places.go, noise_enlarged.go.
type foundNoise interface {
	// result says what the noise is.
	result() Result
	// remove denoises the image in place and returns the name of the model for the gray plane or the luma.
	remove(ctx context.Context, img image, o Options) (string, error)
	// margins says how far around a sample remove looks.
	margins(planes int, o Options) (margins, error)
	// ofWhole returns the noise with what an image decides, parts of which may be denoised.
	ofWhole(img image, o Options) foundNoise
	// wholeChroma returns the chroma of the whole image that the removal from a part needs, or nil.
	wholeChroma(ctx context.Context, img image, o Options) (*wholeChroma, error)
	// deviation returns the standard deviation in a plane at a level, or nil if the noise does not say it. Told is
	// false if what is removed says more of where the noise is.
	deviation(planes int) (sigma func(plane int, level float64) float64, told bool)
	// isFine reports whether there is fine noise beyond rounding, in an image with this curve. Pictures that were
	// enlarged have none.
	isFine(c noisecurve.Curve) bool
}

// isNone reports whether there is no noise to remove.
func isNone(n foundNoise) bool { return n.result().Noise == None }

// dependsOnPlace reports whether noise says something about places of an image, so that it is not that of another
// image.
func dependsOnPlace(n foundNoise) bool {
	r := n.result()
	return r.Scale > 0 || r.Places != [2]float64{}
}

// noNoise is found in images that have none, or too little to matter.
type noNoise struct{ Result }

func (n noNoise) result() Result {
	n.Noise, n.Sigma, n.SigmaChroma = None, 0, 0
	return n.Result
}

func (noNoise) margins(int, Options) (margins, error) { return margins{align: 1}, nil }

func (noNoise) remove(context.Context, image, Options) (string, error) { return "", nil }

func (n noNoise) ofWhole(image, Options) foundNoise { return n }

func (noNoise) wholeChroma(context.Context, image, Options) (*wholeChroma, error) { return nil, nil }

func (noNoise) deviation(int) (func(int, float64) float64, bool) {
	return func(int, float64) float64 { return 0 }, true
}

func (noNoise) isFine(noisecurve.Curve) bool { return false }

// planeModel is what runs on one plane, and the noise level that it is told.
type planeModel struct {
	model      *model.Model
	lane       lane
	steps      stage.Steps   // of the model, in the lane
	sigma      float64       // in the unit of the plane
	level      float32       // see stage.Options
	pilotShare float32       // see stage.Options
	network    float32       // share of the network in the result of the steps; 1 = there are none
	chroma     *chromaModels // refines the result of the steps, or is used instead of them; nil for most planes
	refined    string        // name of the model of a camera that refines the result; "" = a shipped one, or none
}

// ownSteps reports whether the steps run on the plane.
func (p planeModel) ownSteps() bool { return p.network < 1 && (p.chroma == nil || !p.lane.none()) }

// hasPasses reports whether the model has passes.
func (p planeModel) hasPasses() bool {
	_, passes := p.model.Stages.Split()
	return len(passes) > 0
}

// run returns the steps with what they share.
func (p planeModel) run(workers int, progress *stage.Progress) stage.Steps {
	steps := p.steps.For(p.level, workers, progress)
	for i := range steps {
		if stage.IsGuided(steps[i].Stage) {
			steps[i].PilotShare = p.pilotShare
		}
	}
	return steps
}

// name returns the name of what denoises the plane.
func (p planeModel) name() string {
	if p.network == 1 {
		return networkName
	}
	name := fmt.Sprintf("%s %.4g", p.model.Name, p.model.Sigma)
	if p.network > 0 {
		return networkName + " + " + name
	}
	if p.refined != "" {
		return name + " + " + p.refined
	}
	return name
}

// run decorrelates the colours, runs a model on each plane, and correlates them again. Choose returns the model for
// plane i. Pilots are what a network made of the planes, or of the luma; nil if there is none. It returns the name of
// the first model.
func (img image) run(ctx context.Context, pilots [][]float32, o Options,
	choose func(i int) (planeModel, error)) (string, error) {
	colour := len(img.planes) == 3
	if colour {
		decorrelate(img.planes, o.crew(ctx))
		if len(pilots) == 3 {
			decorrelate(pilots, o.crew(ctx))
		}
	}
	if err := ctx.Err(); err != nil {
		return "", err
	}
	jobs := make([]job, len(img.planes))
	name := ""
	for i, p := range img.planes {
		m, err := choose(i)
		if err != nil {
			return "", err
		}
		jobs[i] = job{plane: patchify.Plane{Width: img.width, Height: img.height, Pix: p}, planeModel: m}
		if i < len(pilots) {
			jobs[i].pilot = patchify.Plane{Width: img.width, Height: img.height, Pix: pilots[i]}
		}
		if i == 0 {
			name = m.name()
		}
	}
	if err := ctx.Err(); err != nil { // loading models may have taken a while
		return "", err
	}
	noisy := o.noisyLuma(img.planes[0])
	tiles := newTiler(jobs, o)
	if err := tiles.denoise(ctx); err != nil {
		return "", err
	}
	giveGrainBack(img.planes[0], noisy, img.width, o)
	if colour {
		correlate(img.planes, o.crew(ctx))
	}
	return name, nil
}
