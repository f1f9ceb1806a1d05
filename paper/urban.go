package paper

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/blorc-denoise/blorc-denoise/internal/metric"
	"github.com/blorc-denoise/blorc-denoise/internal/noise"
	"github.com/blorc-denoise/blorc-denoise/model"
	"github.com/blorc-denoise/blorc-denoise/model/bilevel"
	"github.com/blorc-denoise/blorc-denoise/models"
	"github.com/blorc-denoise/blorc-denoise/paper/baseline"
	"github.com/blorc-denoise/blorc-denoise/paper/report"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// paperImages holds Tab:Comparedenoise.
var paperImages = map[float64]map[string]float64{
	38.25: {"noisy": 8.24, "bm3d": 23.72, "aksvd": 23.65, "blorc, scaled": 24.16, "blorc, as stacked": 24.16},
	25.5:  {"noisy": 10.4, "bm3d": 26.83, "aksvd": 26.60, "blorc, scaled": 26.17, "blorc, as stacked": 26.17},
}

// paperPerImage holds Tab:image_Table: BM3D, Analysis K-SVD and BLORC on four images at sigma 38.25.
var paperPerImage = [4][3]float64{{26.27, 25.92, 27.02}, {25.51, 25.30, 25.20}, {21.90, 21.34, 22.17}, {21.22, 22.05, 22.34}}

// urban is fig:urban100 and both tables of images.
func urban(ctx context.Context, s Setting, sh *sheet) error {
	steps := s.count(6000, 6)
	rival := s
	rival.Effort = min(1, 8*s.Effort) // learned too little, Analysis K-SVD would be no comparison
	u := urbanRun{Setting: s, sh: sh, aksvd: baseline.AnalysisKSVD{Iterations: rival.count(20, 2), Examples: rival.count(20_000, 600), Seed: s.Seed}}
	side := rival.count(256, 64)
	training, test := drawnImages(s.count(10, 1))
	if s.Data != "" {
		var err error
		if training, test, err = urbanImages(s.Data, s.count(160, 4)); err != nil {
			return err
		}
	}
	for i := range test {
		test[i].plane = centre(test[i].plane, side)
	}
	sh.Size = fmt.Sprintf("%d Adam steps of 240 patches for each transform; %d test images, their central %d x %d pixels (paper: 4 images it does not name); Analysis K-SVD %d iterations on %d patches",
		steps, len(test), side, side, u.aksvd.Iterations, u.aksvd.Examples)
	sh.say("Each of the three transforms is trained alone on one image, as in the paper, but from the DCT and with Adam. Stacked as they are they regularize about three times too much; "+
		"the scale of the stack is tuned by golden-section search on parts of the training images. BM3D, TV and the DCT have the parameters of their papers or of other images, Analysis K-SVD learns on each noisy image anew. "+
		"`%s` is the model that the program ships by default, for comparison.", models.Default)
	if s.Data == "" {
		sh.say("Without a folder of data, training and test images are parts of a drawn scene: these numbers say that everything runs, not how good it is.")
	}
	high, err := u.level(ctx, 38.25, steps, training, test)
	if err != nil {
		return err
	}
	low, err := u.level(ctx, 25.5, steps, training, test)
	if err != nil {
		return err
	}
	if s.Data != "" {
		sh.say("The photographs are not ours to show: what the denoisers make of them is drawn only in a run without a folder of data, of parts of the drawn scene.")
	}
	for _, other := range paperRivals {
		answer := "That does not hold here"
		if high[other] > 0 && low[other] < 0 {
			answer = "That holds here"
		}
		sh.say("The paper has BLORC ahead of %s at the high noise level and behind it at the low one. %s: %+.2f dB at sigma 38.25, %+.2f dB at 25.5.", other, answer, high[other], low[other])
	}
	return nil
}

// paperRivals are those that the paper compares with.
var paperRivals = []string{"bm3d", "aksvd"}

type urbanRun struct {
	Setting
	sh    *sheet
	aksvd baseline.AnalysisKSVD
}

// stacked is what training gives for one noise level.
type stacked struct {
	Learned []model.Transform // one for each training image
	Scale   float64           // of their stack
}

// rival is one column of the tables.
type rival struct {
	name string
	run  func(noisy patchify.Plane) (patchify.Plane, error)
}

// level trains and compares at one noise level. It returns how far the scaled stack is ahead of the paper's rivals, in dB.
func (u urbanRun) level(ctx context.Context, sigma float64, steps int, training, test []named) (lead map[string]float64, err error) {
	trained, err := kept(u.sh, fmt.Sprintf("transforms %g", sigma), func() (stacked, error) { return u.train(ctx, sigma/255, steps, training) })
	if err != nil {
		return nil, err
	}
	if sigma == 38.25 {
		u.drawFilters(trained.Learned, training)
	}
	rivals, err := u.rivals(ctx, sigma, trained)
	if err != nil {
		return nil, err
	}
	perImage := report.Table{Caption: fmt.Sprintf("PSNR of each test image, sigma %g. Scale of the stack: %.3f.", sigma, trained.Scale), Head: []string{"image"}}
	for _, r := range rivals {
		perImage.Head = append(perImage.Head, r.name)
	}
	var all [][]float64
	for i, img := range test {
		out, err := kept(u.sh, fmt.Sprintf("%s %g", img.name, sigma), func() (restored, error) { return u.restore(img, sigma, rivals) })
		if err != nil {
			return nil, err
		}
		row := []string{img.name}
		for _, v := range out.PSNR {
			row = append(row, number(v))
		}
		u.Log("sigma %g, %s: %v", sigma, img.name, row[1:])
		perImage.Add(row...)
		all = append(all, out.PSNR)
		if sigma == 38.25 && i < len(paperPerImage) && u.Data == "" {
			p := paperPerImage[i]
			u.sh.figure(fmt.Sprintf("Tab:image_Table, the middle of %s, sigma 38.25. The paper's image %d, another one: BM3D %.2f, Analysis K-SVD %.2f, BLORC %.2f.", img.name, i+1, p[0], p[1], p[2]), out.Pictures...)
		}
	}
	u.sh.table(perImage)
	return u.compare(sigma, rivals, all), nil
}

// rivals are the columns, what the noisy image is first.
func (u urbanRun) rivals(ctx context.Context, sigma float64, trained stacked) ([]rival, error) {
	family, err := models.Named(models.Default)
	if err != nil {
		return nil, err
	}
	shipped, err := family.Choose(sigma)
	if err != nil {
		return nil, err
	}
	stack, err := model.Stack(trained.Learned...)
	if err != nil {
		return nil, err
	}
	rivals := []rival{{"noisy", func(p patchify.Plane) (patchify.Plane, error) { return p, nil }}}
	for _, d := range baseline.Images() {
		if d.Name() == "aksvd" {
			d = u.aksvd
		}
		rivals = append(rivals, rival{d.Name(), func(p patchify.Plane) (patchify.Plane, error) { return d.Denoise(ctx, p, sigma/255, u.Workers) }})
	}
	add := func(name string, m *model.Model, err error) error {
		rivals = append(rivals, rival{name, func(p patchify.Plane) (patchify.Plane, error) {
			return m.Denoise(ctx, p, sigma/255, model.Options{Stride: 1, Workers: u.Workers})
		}})
		return err
	}
	asStacked, err := patchModel(stack)
	if err := add("blorc, as stacked", asStacked, err); err != nil {
		return nil, err
	}
	scaled, err := patchModel(stack.Scale(trained.Scale))
	if err := add(blorcScaled, scaled, err); err != nil {
		return nil, err
	}
	return rivals, add(models.Default+" (shipped)", shipped, nil)
}

const blorcScaled = "blorc, scaled"

// restored is one test image by all methods.
type restored struct {
	PSNR     []float64
	Pictures []report.Picture
}

func (u urbanRun) restore(img named, sigma float64, rivals []rival) (restored, error) {
	noisy := patchify.NewPlane(img.plane.Width, img.plane.Height)
	noise.AddGaussian(noisy.Pix, img.plane.Pix, sigma/255, noise.Source(u.Seed, img.name))
	out := restored{Pictures: []report.Picture{u.picture("clean", img.plane)}}
	for _, r := range rivals {
		plane, err := r.run(noisy)
		if err != nil {
			return out, err
		}
		psnr := metric.PSNR(img.plane.Pix, plane.Pix)
		out.PSNR = append(out.PSNR, psnr)
		out.Pictures = append(out.Pictures, u.picture(r.name+" "+number(psnr), plane))
	}
	return out, nil
}

// compare adds the means, and says who is ahead, and by how much.
func (u urbanRun) compare(sigma float64, rivals []rival, all [][]float64) map[string]float64 {
	column := map[string]int{}
	mean := make([]float64, len(rivals))
	for j, r := range rivals {
		column[r.name] = j
		for _, row := range all {
			mean[j] += row[j] / float64(len(all))
		}
	}
	told := paperImages[sigma]
	t := report.Table{Caption: fmt.Sprintf("Tab:Comparedenoise, sigma %g: means. The paper's images are other ones: compare the columns against bm3d.", sigma),
		Head: []string{"method", "PSNR", "against bm3d", "paper", "difference", "paper, against bm3d"}}
	for j, r := range rivals {
		row := []string{r.name, number(mean[j]), against(mean[j], mean[column["bm3d"]]), "", "", ""}
		if p, ok := told[r.name]; ok {
			copy(row[3:], []string{number(p), against(mean[j], p), against(p, told["bm3d"])})
		}
		t.Add(row...)
	}
	u.sh.table(t)
	blorc := column[blorcScaled]
	var parts []string
	lead := map[string]float64{}
	for _, other := range paperRivals {
		lead[other] = mean[blorc] - mean[column[other]]
		ahead := 0
		for _, row := range all {
			if row[blorc] > row[column[other]] {
				ahead++
			}
		}
		parts = append(parts, fmt.Sprintf("%+.2f dB against %s on average and ahead on %d of %d images (paper: %+.2f dB)", lead[other], other, ahead, len(all), told[blorcScaled]-told[other]))
	}
	u.sh.say("At sigma %g the scaled stack is at %s.", sigma, strings.Join(parts, ", and "))
	return lead
}

func (u urbanRun) picture(title string, p patchify.Plane) report.Picture {
	p = centre(p, 128)
	return u.sh.check(report.Gray(title, p.Pix, p.Width, p.Height))
}

// train learns one transform on each image, side by side, and the scale of their stack.
func (u urbanRun) train(ctx context.Context, sigma float64, steps int, training []named) (stacked, error) {
	constant := model.NewTransform(1, patchSide*patchSide)
	for i := range constant.W {
		constant.W[i] = 1.0 / patchSide
	}
	start, err := model.Stack(constant, model.DCTBasis(patchSide))
	if err != nil {
		return stacked{}, err
	}
	start = start.Scale(0.5) // in units of one over sigma
	var theta []float64
	o := &bilevel.Transforms{K: start.K, N: start.N, BatchSize: 240, Workers: u.Workers}
	for i, img := range training {
		theta = append(theta, start.W...)
		o.Sources = append(o.Sources, &bilevel.Patches{Groups: [][]bilevel.Pair{{{Clean: img.plane}}}, Sigma: sigma, PatchSize: patchSide, Seed: u.Seed + uint64(i)<<32})
	}
	phase := bilevel.Phase{Name: "images", Objective: o, Steps: steps, Optimizer: bilevel.NewAdam(len(theta)), Rate: bilevel.DecayingRate(1e-2)}
	if err := new(bilevel.Trainer).Run(ctx, phase, theta); err != nil {
		return stacked{}, err
	}
	var out stacked
	for i := range training {
		out.Learned = append(out.Learned, model.Transform{K: start.K, N: start.N, W: theta[i*len(start.W) : (i+1)*len(start.W)]})
	}
	stack, err := model.Stack(out.Learned...)
	if err != nil {
		return out, err
	}
	out.Scale, err = u.stackScale(ctx, stack, sigma, training)
	return out, err
}

// patchModel denoises each patch with one transform and averages.
func patchModel(w model.Transform) (*model.Model, error) {
	schedule := model.DefaultSchedule()
	schedule.Iterations = 30
	stage, err := model.NewLocal(patchSide, schedule, []model.Transform{w}, nil)
	if err != nil {
		return nil, err
	}
	return &model.Model{Info: model.Info{Name: "paper", Sigma: 25, Plane: "gray"}, Stages: []model.Stage{stage}}, nil
}

// stackScale tunes the scale of the stack on the centres of the training images.
func (u urbanRun) stackScale(ctx context.Context, stack model.Transform, sigma float64, training []named) (float64, error) {
	var failed error
	log := baseline.GoldenSection(math.Log(0.1), math.Log(1.5), 0.03, func(log float64) float64 {
		m, err := patchModel(stack.Scale(math.Exp(log)))
		loss := 0.0
		for _, img := range training {
			if err != nil {
				break
			}
			clean := centre(img.plane, 128)
			noisy := patchify.NewPlane(clean.Width, clean.Height)
			noise.AddGaussian(noisy.Pix, clean.Pix, sigma, noise.Source(u.Seed, "scale "+img.name))
			var out patchify.Plane
			if out, err = m.Denoise(ctx, noisy, sigma, model.Options{Stride: 4, Workers: u.Workers}); err == nil {
				loss -= metric.PSNR(clean.Pix, out.Pix)
			}
		}
		if err != nil && failed == nil {
			failed = err
		}
		return loss
	})
	return math.Exp(log), failed
}

func (u urbanRun) drawFilters(learned []model.Transform, training []named) {
	var pictures []report.Picture
	var names []string
	for i, w := range learned {
		if u.Data == "" {
			pictures = append(pictures, u.picture(training[i].name, training[i].plane))
		}
		pictures, names = append(pictures, u.sh.filters(fmt.Sprintf("W%d", i+1), w)), append(names, training[i].name)
	}
	u.sh.figure(fmt.Sprintf("fig:urban100: the filters learned from each training image (%s) at sigma 38.25, the strongest first.", strings.Join(names, ", ")), pictures...)
}
