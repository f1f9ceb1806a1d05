package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/blorc-denoise/blorc-denoise/internal/camera"
	"github.com/blorc-denoise/blorc-denoise/internal/level"
	"github.com/blorc-denoise/blorc-denoise/internal/noise"
)

// recipe names one training picture. Everything about the picture follows from its number and the folder of data.
type recipe struct {
	Number int
	Kind   string // one of kinds
	File   string // below the folder of data
	Gray   bool
	Soft   bool // out of focus
}

// kinds take turns.
var kinds = []string{
	"clean", "clean", "clean", "clean", "white", "jpeg", "jpeg", "grain", "grain", "grain", "camera", "camera",
	"camera", "camera", "smoothed",
	"reduced", "dark", "dark", "moved", "moved", "drawn", "drawn", "drawn",
	"real", "real", "real", "real", "real", "real",
}

// shot reports whether a simulated camera makes the picture. It needs colours.
func (r recipe) shot() bool {
	return slices.Contains([]string{"camera", "smoothed", "reduced", "dark"}, r.Kind)
}

func (r recipe) source(what string) *rand.Rand { return noise.Source(uint64(r.Number), what) }

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
	p.noisy, p.clean = centre(p.noisy, side), centre(p.clean, side)
	return p
}

// gray returns the pair without colours: its mean, or one of its channels, as microscopes with colour cameras give.
func (p pair) gray(rng *rand.Rand) pair {
	of := (*camera.Picture).Gray
	if rng.IntN(2) == 0 {
		channel := rng.IntN(3)
		of = func(p *camera.Picture) *camera.Picture {
			return &camera.Picture{Width: p.Width, Height: p.Height, Planes: p.Planes[channel : channel+1]}
		}
	}
	p.noisy, p.clean = of(p.noisy).Quantise(), of(p.clean).Quantise()
	p.steps = level.Steps{}
	return p
}

// generator makes the pictures of recipes from a folder of data.
type generator struct {
	folder             string
	colour, gray, real []string // files: clean pictures, and noisy ones of real pairs
	mu                 sync.Mutex
	files              map[string]*camera.Picture
}

// How often the files of a folder are listed: all of cbsd432 but those that are kept aside, and more of those that are
// few and better.
const (
	heldFilm                               = 36
	filmTimes, urbanTimes, photographTimes = 2, 6, 40
)

func newGenerator(folder string) (*generator, error) {
	g := &generator{folder: folder, real: find(folder, "real/*_real.png"),
		gray: slices.Concat(find(folder, "bsd400/*.png"), find(folder, "micrographs/*.png"))}
	film, urban, photographs := find(folder, "cbsd432/*.jpg"), find(folder, "urban100/train/*.png"),
		find(folder, "photographs/*.png")
	if len(film) <= heldFilm || len(urban)*len(photographs)*len(g.gray)*len(g.real) == 0 {
		return nil, fmt.Errorf("%s does not hold cbsd432, urban100/train, bsd400 or micrographs, photographs and real",
			folder)
	}
	for _, l := range []struct {
		files []string
		times int
	}{{film[:len(film)-heldFilm], filmTimes}, {urban, urbanTimes}, {photographs, photographTimes}} {
		g.colour = slices.Concat(g.colour, slices.Repeat(l.files, l.times))
	}
	return g, nil
}

// recipe returns the recipe of a number.
func (g *generator) recipe(number int) recipe {
	r := recipe{Number: number, Kind: kinds[number%len(kinds)]}
	rng := r.source("recipe")
	files := g.colour
	r.Gray = rng.IntN(2) == 0
	switch {
	case r.Kind == "real":
		files = g.real
	case r.Gray && !r.shot() && r.Kind != "clean" && rng.IntN(2) == 0:
		files = g.gray
	}
	r.File = files[rng.IntN(len(files))]
	r.Soft = r.Kind != "clean" && rng.IntN(7) == 0
	return r
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
	rng := r.source("picture")
	if r.Kind == "drawn" {
		return drawnPicture(r, rng), nil
	}
	p, err := g.load(r.File)
	if err != nil {
		return pair{}, err
	}
	if r.Kind == "real" {
		return g.realPair(p, r, rng)
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
	}
	return shot(p, r, rng), nil
}

// realPair is a real pair.
func (g *generator) realPair(noisy *camera.Picture, r recipe, rng *rand.Rand) (pair, error) {
	mean, err := g.load(strings.Replace(r.File, "_real", "_mean", 1))
	if err != nil {
		return pair{}, err
	}
	made := real(noisy, mean, r.Number, rng)
	made.source = r.File
	if r.Gray {
		made = made.gray(rng)
	}
	return made, nil
}

// shot is what a simulated camera makes of a picture.
func shot(p *camera.Picture, r recipe, rng *rand.Rand) pair {
	c := camera.Draw(rng)
	switch r.Kind {
	case "smoothed":
		smoothMore(&c, rng)
	case "reduced":
		reduceColour(&c, rng)
	case "dark":
		darken(&c, rng)
	}
	noisy, clean := shoot(c, p, rng)
	made := pair{noisy: centre(noisy, pictureSide), clean: centre(clean, pictureSide), bits: 8}
	if c.Quality > 0 {
		made.steps = stepsOf(c.Quality, c.Half, len(noisy.Planes))
	}
	if r.Gray {
		made = made.gray(rng)
	}
	return made
}

// prepare crops a clean picture. JPEG files are made smaller, which takes most of their own noise away; those of
// cbsd432 are scans of film, and have grain. Clean pictures and those of PNG files stay as large as they are in half of
// the cases.
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
	p = crop(p, x, y, pictureSide, pictureSide)
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
		p = centre(camera.Resize(p, camera.Between(rng, 1.1, 2), rng.IntN(2) == 0).Quantise(), pictureSide)
	case 2:
		p = camera.Blur(p, camera.Between(rng, 0.4, 1.2)).Quantise()
	case 3, 4:
		return pair{noisy: p, clean: p, bits: 8}.compress(25+rng.IntN(74), rng.IntN(3) > 0)
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

// addWhite adds white Gaussian noise of a level in gray levels.
func addWhite(p *camera.Picture, sigma float64, rng *rand.Rand) *camera.Picture {
	q := p.Clone()
	q.Each(func(v float64) float64 { return v + sigma/255*rng.NormFloat64() })
	return q
}

// compressed adds white noise and then compresses.
func compressed(p *camera.Picture, rng *rand.Rand) pair {
	noisy := addWhite(p, camera.LogBetween(rng, 2, 45), rng)
	return pair{noisy: noisy.Quantise(), clean: p, bits: 8}.compress(40+rng.IntN(59), rng.IntN(3) > 0)
}

// grain adds noise that was filtered with a Gaussian: like film grain and scans, strongest in the middle tones, or like
// few photons, stronger in bright ones. It is the same in all colours or not.
func grain(p *camera.Picture, rng *rand.Rand) pair {
	radius, level := camera.Between(rng, 0.4, 2.2), camera.LogBetween(rng, 2, 25)/255
	floor, common := camera.Between(rng, 0.3, 1), camera.Between(rng, 0, 1)
	if rng.IntN(3) == 0 {
		common = 1
	}
	strength := middleTones
	if rng.IntN(3) == 0 {
		strength = photons
	}
	by := func(v float64) float64 { return level * (floor + (1-floor)*strength(v)) }
	noisy := addGrain(p, radius, common, by, rng)
	made := pair{noisy: noisy.Quantise(), clean: p, bits: 8}
	if rng.IntN(3) == 0 {
		return made.compress(60+rng.IntN(39), rng.IntN(3) > 0)
	}
	return made
}

func middleTones(v float64) float64 { return 4 * v * (1 - v) }

func photons(v float64) float64 { return math.Sqrt(max(v, 0)) }

// addGrain adds filtered noise of a level that depends on the sample; common is the share that all colours have.
func addGrain(p *camera.Picture, radius, common float64, level func(float64) float64,
	rng *rand.Rand) *camera.Picture {
	all := unitGrain(p.Width, p.Height, 1, radius, rng).Planes[0]
	each := unitGrain(p.Width, p.Height, len(p.Planes), radius, rng)
	noisy := p.Clone()
	for c, plane := range noisy.Planes {
		for i, v := range plane {
			g := common*float64(all[i]) + (1-common)*float64(each.Planes[c][i])
			plane[i] = v + float32(level(float64(v))*g)
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
		scale := float32(math.Sqrt(float64(len(plane)) / sum))
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
