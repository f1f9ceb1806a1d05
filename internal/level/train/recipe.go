package main

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/blorc-denoise/blorc-denoise/internal/camera"
	"github.com/blorc-denoise/blorc-denoise/internal/level"
	"github.com/blorc-denoise/blorc-denoise/internal/noise"
)

// recipe names one training picture. Everything about the picture follows from the name and the data set.
type recipe struct {
	Kind string // clean, white, drawn, jpeg, camera, smoothed, reduced, grain, moved or real
	File string // below the folder of data
	N    int    // number of the variant
	Gray bool
	Soft bool // out of focus
}

// shot reports whether a simulated camera makes the picture. It needs colours.
func (r recipe) shot() bool {
	return slices.Contains([]string{"camera", "smoothed", "reduced"}, r.Kind)
}

func (r recipe) name() string {
	name := fmt.Sprintf("%s/%s/%d", r.Kind, r.File, r.N)
	if r.Gray {
		name += "/gray"
	}
	if r.Soft {
		name += "/soft"
	}
	return name
}

// pictureSide bounds training pictures, in samples.
const pictureSide = 384

// pair is a noisy picture and the same without noise.
type pair struct {
	noisy, clean *camera.Picture
	bits         int         // 8 if samples are rounded, else 0
	steps        level.Steps // of the noisy picture, if compressing it was the last that was done
	source       string      // file of real noise, if there is any
}

// compress makes the noisy picture what a JPEG file of a quality gives back.
func (p pair) compress(quality int, half bool) pair {
	p.noisy = camera.JPEG(p.noisy, quality, half)
	p.steps = stepsOf(quality, half, len(p.noisy.Planes))
	return p
}

// stepsOf returns what is known of a JPEG file of a quality.
func stepsOf(quality int, half bool, planes int) (s level.Steps) {
	s.Luma, s.Chroma = camera.JPEGSteps(quality)
	if s.ChromaHalved = half; planes == 1 {
		s.Chroma, s.ChromaHalved = [64]uint8{}, false
	}
	return s
}

// centre returns the middle of the pair, of at most side x side samples.
func (p pair) centre(side int) pair {
	p.noisy, p.clean = p.noisy.Centre(side), p.clean.Centre(side)
	return p
}

// gray returns the pair without colours.
func (p pair) gray() pair {
	p.noisy, p.clean = p.noisy.Gray().Quantise(), p.clean.Gray().Quantise()
	p.steps = level.Steps{}
	return p
}

// generator makes the pictures of recipes from a folder of data.
type generator struct {
	folder string
	mu     sync.Mutex
	files  map[string]*camera.Picture
}

func (g *generator) load(file string) (*camera.Picture, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if p, ok := g.files[file]; ok {
		return p, nil
	}
	p, err := load(filepath.Join(g.folder, file))
	if err != nil {
		return nil, err
	}
	if g.files == nil || len(g.files) > 40 {
		g.files = map[string]*camera.Picture{}
	}
	g.files[file] = p
	return p, nil
}

func (g *generator) make(r recipe) (pair, error) {
	rng := noise.Source(1, r.name())
	if r.Kind == "drawn" {
		return drawnPicture(r, rng), nil
	}
	p, err := g.load(r.File)
	if err != nil {
		return pair{}, err
	}
	if r.Kind == "real" {
		q, err := g.load(strings.Replace(r.File, "_real", "_mean", 1))
		if err != nil {
			return pair{}, err
		}
		made := real(p, q, r.N, rng)
		made.source = r.File
		if r.Gray {
			made = made.gray()
		}
		return made, nil
	}
	p = prepare(p, r, rng)
	switch r.Kind {
	case "clean":
		return clean(p, rng), nil
	case "white":
		return white(p, rng), nil
	case "jpeg":
		return compressed(p, rng), nil
	case "grain":
		return grain(p, rng), nil
	case "moved":
		return g.moved(p, rng)
	case "camera", "smoothed", "reduced":
		c := camera.Draw(rng)
		switch r.Kind {
		case "smoothed":
			c.SmoothMore(rng)
		case "reduced":
			c.ReduceColour(rng)
		}
		noisy, clean := c.Shoot(p, rng)
		made := pair{noisy: noisy.Centre(pictureSide), clean: clean.Centre(pictureSide), bits: 8}
		if c.Quality > 0 {
			made.steps = stepsOf(c.Quality, c.Half, len(noisy.Planes))
		}
		if r.Gray {
			made = made.gray()
		}
		return made, nil
	}
	return pair{}, fmt.Errorf("no recipe of kind %q", r.Kind)
}

// prepare crops a clean picture. JPEG files are made smaller, which takes most of their own noise away; those of cbsd432 are
// scans of film, and have grain. Clean pictures and those of PNG files stay as large as they are in half of the cases.
func prepare(p *camera.Picture, r recipe, rng *rand.Rand) *camera.Picture {
	fromJPEG := strings.HasSuffix(strings.ToLower(r.File), ".jpg")
	fromFilm := strings.HasPrefix(r.File, "cbsd432")
	small := p.Width <= 180
	switch {
	case small:
	case fromFilm, r.Kind != "clean" && fromJPEG, rng.IntN(2) == 0:
		p = camera.Resize(p, camera.Between(rng, 0.5, 0.8), rng.IntN(2) == 0)
	}
	if r.Gray && !r.shot() {
		p = p.Gray()
	}
	x, y := rng.IntN(max(1, p.Width-pictureSide+1)), rng.IntN(max(1, p.Height-pictureSide+1))
	p = p.Crop(x, y, pictureSide, pictureSide)
	if r.Soft {
		p = camera.Blur(p, camera.LogBetween(rng, 1.5, 12))
	}
	if rng.IntN(2) == 0 { // exposures differ
		gain := camera.Between(rng, 0.5, 1.15)
		p.Each(func(v float64) float64 { return gain * v })
	}
	return p.Quantise()
}

// clean is a picture without noise: as it is, or after what people do to pictures.
func clean(p *camera.Picture, rng *rand.Rand) pair {
	switch rng.IntN(8) {
	case 0:
		p = camera.Sharpen(p, camera.Between(rng, 0.6, 1.5), camera.Between(rng, 0.2, 1)).Quantise()
	case 1:
		p = camera.Resize(p, camera.Between(rng, 1.1, 2), rng.IntN(2) == 0).Quantise().Centre(pictureSide)
	case 2:
		p = camera.Blur(p, camera.Between(rng, 0.4, 1.2)).Quantise()
	case 3, 4:
		return pair{noisy: p, clean: p, bits: 8}.compress(60+rng.IntN(39), rng.IntN(3) > 0)
	}
	return pair{noisy: p, clean: p, bits: 8}
}

// white adds white Gaussian noise, in half of the cases clipped and rounded.
func white(p *camera.Picture, rng *rand.Rand) pair {
	noisy := addWhite(p, camera.LogBetween(rng, 1.5, 60), rng)
	if rng.IntN(2) == 0 {
		return pair{noisy: noisy, clean: p}
	}
	return pair{noisy: noisy.Quantise(), clean: p, bits: 8}
}

// addWhite adds white Gaussian noise of a level in grey levels.
func addWhite(p *camera.Picture, sigma float64, rng *rand.Rand) *camera.Picture {
	q := p.Clone()
	q.Each(func(v float64) float64 { return v + sigma/255*rng.NormFloat64() })
	return q
}

// compressed adds white noise and then compresses.
func compressed(p *camera.Picture, rng *rand.Rand) pair {
	noisy := addWhite(p, camera.LogBetween(rng, 2, 45), rng)
	return pair{noisy: noisy.Quantise(), clean: p, bits: 8}.compress(60+rng.IntN(39), rng.IntN(3) > 0)
}

// grain adds noise that was filtered with a Gaussian, like film grain and scans: strongest in the middle tones, the same
// in all colours or not.
func grain(p *camera.Picture, rng *rand.Rand) pair {
	radius, level := camera.Between(rng, 0.4, 2.2), camera.LogBetween(rng, 2, 25)/255
	floor, common := camera.Between(rng, 0.3, 1), camera.Between(rng, 0, 1)
	if rng.IntN(3) == 0 {
		common = 1
	}
	noisy := addGrain(p, radius, level, floor, common, rng)
	made := pair{noisy: noisy.Quantise(), clean: p, bits: 8}
	if rng.IntN(3) == 0 {
		return made.compress(60+rng.IntN(39), rng.IntN(3) > 0)
	}
	return made
}

// addGrain adds filtered noise. The level falls to floor times itself in black and white; common is the share that all
// colours have.
func addGrain(p *camera.Picture, radius, level, floor, common float64, rng *rand.Rand) *camera.Picture {
	all := unitGrain(p.Width, p.Height, 1, radius, rng).Planes[0]
	each := unitGrain(p.Width, p.Height, len(p.Planes), radius, rng)
	noisy := p.Clone()
	for c, plane := range noisy.Planes {
		for i, v := range plane {
			g := common*float64(all[i]) + (1-common)*float64(each.Planes[c][i])
			middle := 4 * float64(v) * (1 - float64(v))
			plane[i] = v + float32(level*(floor+(1-floor)*middle)*g)
		}
	}
	return noisy
}

// unitGrain is filtered noise of standard deviation 1.
func unitGrain(width, height, planes int, radius float64, rng *rand.Rand) *camera.Picture {
	g := camera.NewPicture(width, height, planes)
	g.Each(func(float64) float64 { return rng.NormFloat64() })
	g = camera.Blur(g, radius)
	for _, plane := range g.Planes {
		sum := 0.0
		for _, v := range plane {
			sum += float64(v) * float64(v)
		}
		scale := float32(1 / rootMean(sum, len(plane)))
		for i := range plane {
			plane[i] *= scale
		}
	}
	return g
}

// find lists files below a folder, in order of name.
func find(folder, pattern string) []string {
	paths, _ := filepath.Glob(filepath.Join(folder, pattern)) // the patterns are right
	for i, path := range paths {
		paths[i], _ = filepath.Rel(folder, path)
		paths[i] = filepath.ToSlash(paths[i])
	}
	return paths
}

// recipes lists count pictures of drawn noise, and as many variants of the real ones as go with them. With photographs, it lists pictures of
// those as well.
func recipes(folder string, count int, photographs bool) (all []recipe, err error) {
	for n := 0; n == 0 || n*bankSize < count; n++ {
		b, err := bank(folder, n, min(count-n*bankSize, bankSize), photographs)
		if err != nil {
			return nil, err
		}
		all = append(all, b...)
	}
	return all, nil
}

const (
	bankSize     = 2400 // most pictures of drawn noise in a bank
	realVariants = 16   // of each real pair in a bank
)

// bank lists count pictures of drawn noise and variants of the real ones, shuffled so that any first part is a fair sample. A bank stays
// the same when further ones are added.
func bank(folder string, number, count int, photographs bool) ([]recipe, error) {
	colour := append(find(folder, "cbsd432/*.jpg"), find(folder, "cbsd432/*.jpg")...)
	for range 8 {
		colour = append(colour, find(folder, "urban100/train/*.png")...)
	}
	gray := find(folder, "bsd400/*.png")
	real := find(folder, "polyu/*_real.JPG")
	for range 5 { // averages of many shots are clean
		for _, file := range real[:min(trainedReal, len(real))] {
			colour = append(colour, strings.Replace(file, "_real", "_mean", 1))
		}
	}
	if len(colour) == 0 || len(gray) == 0 || len(real) < trainedReal {
		return nil, fmt.Errorf("%s does not hold cbsd432, urban100, bsd400 and polyu", folder)
	}
	rng := noise.Source(1+uint64(number), "recipes")
	first := 8 * bankSize * number // variant of the bank
	var all []recipe
	kinds := []string{"clean", "clean", "clean", "white", "white", "jpeg", "jpeg", "jpeg", "grain", "grain", "camera", "camera", "camera", "camera", "camera", "camera"}
	for i := range count {
		r := recipe{Kind: kinds[i%len(kinds)], N: first + i, Gray: rng.IntN(4) == 0}
		files := colour
		if r.Gray && r.Kind != "camera" && rng.IntN(2) == 0 && r.Kind != "clean" {
			files = gray
		}
		r.File = files[rng.IntN(len(files))]
		all = append(all, r)
	}
	for _, file := range real[:trainedReal] {
		for n := range realVariants {
			all = append(all, recipe{Kind: "real", File: file, N: realVariants*number + n, Gray: n%8 == 0 && n > 0 || n == 11 || n == 13})
		}
	}
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	soft := make([]recipe, 0, count/5)
	for i := range count / 5 {
		r := recipe{Kind: kinds[i%len(kinds)], N: first + count + i, Gray: rng.IntN(3) == 0, Soft: true}
		r.File = colour[rng.IntN(len(colour))]
		soft = append(soft, r)
	}
	moved := make([]recipe, 0, count/4)
	for i := range count / 4 {
		r := recipe{Kind: "moved", N: first + 2*count + i, Gray: rng.IntN(4) == 0, Soft: rng.IntN(6) == 0}
		r.File = colour[rng.IntN(len(colour))]
		moved = append(moved, r)
	}
	all = spread(spread(all, soft), moved)
	for i, kind := range []string{"smoothed", "reduced"} {
		few := make([]recipe, 0, count/5)
		for j := range count / 5 {
			r := recipe{Kind: kind, N: first + (3+i)*count + j, Gray: rng.IntN(4) == 0, Soft: rng.IntN(5) == 0}
			r.File = colour[rng.IntN(len(colour))]
			few = append(few, r)
		}
		all = spread(all, few)
	}
	all = spread(all, drawnRecipes(count/8, first+6*count, rng))
	if !photographs {
		return all, nil
	}
	files := find(folder, "photographs/*.png")
	if len(files) == 0 {
		return nil, fmt.Errorf("%s holds no photographs/*.png", folder)
	}
	return spread(all, photographRecipes(files, count/4, first+7*count, rng)), nil
}

// photographRecipes lists photographs of cameras: half of them clean, since their texture must not be taken for noise, and half of them with
// noise, since networks would otherwise know what such photographs show.
func photographRecipes(files []string, count, first int, rng *rand.Rand) (list []recipe) {
	kinds := []string{"clean", "camera", "clean", "moved", "clean", "reduced", "clean", "jpeg", "clean", "camera", "clean", "white"}
	for i := range count {
		list = append(list, recipe{Kind: kinds[i%len(kinds)], File: files[rng.IntN(len(files))], N: first + i, Gray: rng.IntN(4) == 0})
	}
	return list
}

// spread puts a few elements between many.
func spread(many, few []recipe) (all []recipe) {
	for i, r := range many {
		all = append(all, r)
		all = append(all, few[i*len(few)/len(many):(i+1)*len(few)/len(many)]...)
	}
	return all
}
