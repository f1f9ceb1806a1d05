package paper

import (
	"context"
	"fmt"
	"strings"

	"github.com/blorc-denoise/blorc-denoise/baseline"
	"github.com/blorc-denoise/blorc-denoise/internal/metric"
	"github.com/blorc-denoise/blorc-denoise/internal/noise"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/model"
	"github.com/blorc-denoise/blorc-denoise/models"
	"github.com/blorc-denoise/blorc-denoise/paper/report"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// paperImages holds Tab:Comparedenoise.
var paperImages = map[float64]map[string]float64{
	38.25: {"noisy": 8.24, "bm3d": 23.72, "aksvd": 23.65, blorc: 24.16},
	25.5:  {"noisy": 10.4, "bm3d": 26.83, "aksvd": 26.60, blorc: 26.17},
}

// Columns of the tables that are compared with the paper's BLORC: its stack as it is, times one tuned number, and with all
// rows trained on together.
const (
	blorc        = "blorc"
	blorcStacked = "blorc, as stacked"
	blorcScaled  = "blorc, scaled"
	blorcJoint   = "blorc, trained jointly"
)

// fromPaper is what the paper has for a column.
func fromPaper(sigma float64, column string) (psnr float64, known bool) {
	if strings.HasPrefix(column, blorc) {
		column = blorc
	}
	psnr, known = paperImages[sigma][column]
	return psnr, known
}

// paperPerImage holds Tab:image_Table: BM3D, Analysis K-SVD and BLORC on four images at sigma 38.25.
var paperPerImage = [4][3]float64{{26.27, 25.92, 27.02}, {25.51, 25.30, 25.20}, {21.90, 21.34, 22.17}, {21.22, 22.05, 22.34}}

// urban is fig:urban100 and both tables of images.
func urban(ctx context.Context, s Setting, sh *sheet) error {
	rival := s
	rival.Effort = min(1, 8*s.Effort) // learned too little, Analysis K-SVD would be no comparison
	u := urbanRun{Setting: s, sh: sh, steps: s.count(6000, 6), aksvd: baseline.AnalysisKSVD{Iterations: rival.count(20, 2), Examples: rival.count(20_000, 600), Seed: s.Seed}}
	side := rival.count(256, 64)
	u.images = drawnImages(s.count(10, 1))
	if s.Data != "" {
		var err error
		if u.images, err = urbanImages(s.Data, s.count(160, 4)); err != nil {
			return err
		}
	}
	for i := range u.images.test {
		u.images.test[i].plane = centre(u.images.test[i].plane, side)
	}
	sh.Size = fmt.Sprintf("%d Adam steps of %d patches for each of three transforms, %d more for all rows together (paper: unknown); %d test images, their central %d x %d pixels (paper: 4 images that it does not name); "+
		"Analysis K-SVD %d iterations on %d patches of each noisy image", u.steps, urbanBatch, u.jointSteps(), len(u.images.test), side, side, u.aksvd.Iterations, u.aksvd.Examples)
	sh.say("Each of the three transforms is trained alone on one image, as in the paper, but from the DCT and with Adam. Stacked as they are they regularize about three times too much. Two remedies are shown: "+
		"a scale of the stack, tuned by golden-section search on parts of the training images, and %d steps in which all rows are trained together, on patches of all three. BM3D, TV and the DCT have the parameters of "+
		"their papers or of other images, Analysis K-SVD learns on each noisy image anew; the paper tuned its rivals on the test images. `%s` is the model that the program ships by default, for comparison.", u.jointSteps(), models.Default)
	if s.Data == "" {
		sh.say("Without a folder of data, training and test images are parts of a drawn scene: these numbers say that everything runs, not how good it is.")
	}
	high, err := u.level(ctx, 38.25)
	if err != nil {
		return err
	}
	low, err := u.level(ctx, 25.5)
	if err != nil {
		return err
	}
	if s.Data != "" {
		sh.say("Tab:image_Table shows images, which are not drawn here, as the photographs are not ours to show. A run without a folder of data draws parts of the drawn scene.")
	}
	u.verdict(high, low)
	return nil
}

type urbanRun struct {
	Setting
	sh     *sheet
	images imageSet
	steps  int // of training the transforms
	aksvd  baseline.AnalysisKSVD
}

// rival is one column of the tables.
type rival struct {
	name string
	run  func(noisy patchify.Plane) (patchify.Plane, error)
}

// level trains and compares at one noise level.
func (u urbanRun) level(ctx context.Context, sigma float64) (measured, error) {
	m := measured{sigma: sigma}
	trained, err := kept(u.sh, fmt.Sprintf("transforms %g", sigma), func() (stacked, error) { return u.train(ctx, sigma/255) })
	if err != nil {
		return m, err
	}
	stack, err := solve.Stack(trained.Learned...)
	if err != nil {
		return m, err
	}
	joint, err := kept(u.sh, fmt.Sprintf("together %g", sigma), func() (jointly, error) {
		return u.trainJointly(ctx, sigma/255, stack.Scale(trained.Scale))
	})
	if err != nil {
		return m, err
	}
	if sigma == 38.25 {
		u.drawFilters(trained.Learned)
	}
	u.drawCurves(sigma, trained.Curve, joint.Curve)
	rivals, err := u.rivals(ctx, sigma, stack, stack.Scale(trained.Scale), joint.W)
	if err != nil {
		return m, err
	}
	perImage := report.Table{Caption: fmt.Sprintf("PSNR of each test image in dB, sigma %g. Scale of the stack: %.3f.", sigma, trained.Scale), Head: []string{"image"}}
	for _, r := range rivals {
		m.columns = append(m.columns, r.name)
	}
	perImage.Head = append(perImage.Head, m.columns...)
	for i, img := range u.images.test {
		out, err := kept(u.sh, fmt.Sprintf("%s %g", img.name, sigma), func() (restored, error) { return u.restore(img, sigma, rivals) })
		if err != nil {
			return m, err
		}
		row := []string{img.name}
		for _, v := range out.PSNR {
			row = append(row, number(v))
		}
		u.Log("sigma %g, %s: %v", sigma, img.name, row[1:])
		perImage.Add(row...)
		m.images = append(m.images, out.PSNR)
		if sigma == 38.25 && i < len(paperPerImage) && u.Data == "" {
			p := paperPerImage[i]
			u.sh.figure(fmt.Sprintf("Tab:image_Table, the middle of %s, sigma 38.25, PSNR in dB. The paper's image %d, another one: BM3D %.2f, Analysis K-SVD %.2f, BLORC %.2f.", img.name, i+1, p[0], p[1], p[2]), out.Pictures...)
		}
	}
	u.sh.table(perImage)
	u.compare(m)
	return m, nil
}

// rivals are the columns, what the noisy image is first.
func (u urbanRun) rivals(ctx context.Context, sigma float64, stack, scaled, joint solve.Transform) ([]rival, error) {
	rivals := []rival{{"noisy", func(p patchify.Plane) (patchify.Plane, error) { return p, nil }}}
	for _, d := range baseline.All() {
		if d.Name() == "aksvd" {
			d = u.aksvd
		}
		rivals = append(rivals, rival{d.Name(), func(p patchify.Plane) (patchify.Plane, error) { return d.Denoise(ctx, p, sigma/255, u.Workers) }})
	}
	add := func(name string, m *model.Model) {
		rivals = append(rivals, rival{name, func(p patchify.Plane) (patchify.Plane, error) {
			return m.Stages.Denoise(ctx, p, sigma/255, stage.Options{Stride: 1, Workers: u.Workers})
		}})
	}
	for _, learned := range []struct {
		name string
		w    solve.Transform
	}{{blorcStacked, stack}, {blorcScaled, scaled}, {blorcJoint, joint}} {
		m, err := patchModel(learned.w)
		if err != nil {
			return nil, err
		}
		add(learned.name, m)
	}
	family, err := models.Named(models.Default)
	if err != nil {
		return nil, err
	}
	shipped, err := family.Choose(sigma)
	if err != nil {
		return nil, err
	}
	add(models.Default+" (shipped)", shipped)
	return rivals, nil
}

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

func (u urbanRun) picture(title string, p patchify.Plane) report.Picture {
	p = centre(p, 128)
	return u.sh.check(report.Gray(title, p.Pix, p.Width, p.Height))
}

func (u urbanRun) drawFilters(learned []solve.Transform) {
	var pictures []report.Picture
	var names []string
	for i, w := range learned {
		img := u.images.training[i]
		if u.Data == "" {
			pictures = append(pictures, u.picture(img.name, img.plane))
		}
		pictures, names = append(pictures, u.sh.filters(fmt.Sprintf("W%d", i+1), w)), append(names, img.name)
	}
	u.sh.figure(fmt.Sprintf("fig:urban100: the filters learned from each training image (%s) at sigma 38.25, the strongest first.", strings.Join(names, ", ")), pictures...)
}

func (u urbanRun) drawCurves(sigma float64, alone, together Curve) {
	last := func(c Curve) float64 { // what the last half of the steps changed
		return hundredths(c.Validation[len(c.Validation)-1] - c.Validation[(len(c.Validation)-1)/2])
	}
	picture := func(title string, c Curve) report.Picture {
		return u.sh.lines(report.Axes{Title: title, X: "step", Y: "PSNR of patches, dB"},
			report.Series{Name: "training images", X: c.Step, Y: c.Training}, report.Series{Name: "other images", X: c.Step, Y: c.Validation})
	}
	u.sh.figure(fmt.Sprintf("Sigma %g: PSNR of patches before they are averaged, while training runs. The last half of the steps changes that of images not trained on by %+.2f dB for the transforms alone, "+
		"by %+.2f dB for all rows together. Learning rates fall in steps.", sigma, last(alone), last(together)),
		picture("three transforms, each alone (mean)", alone), picture("all rows together", together))
}
