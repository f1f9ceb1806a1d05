package denoise

import (
	"context"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/series"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// fileSeries denoises the pages of a file. Those of each series are denoised together, if that is wanted, and have one
// noise.
type fileSeries struct {
	stacks []*stage.Stack
	stack  []int // for each page, the number of its stack
	number []int // and its number there
	done   []pageResult
	shares []float64 // of the work on each page that is done
	passed float64   // share of all work that was reported
	ended  int       // pages that are done

	oneScene bool // see Result
}

type pageResult struct {
	img *imageio.Image
	err error
}

// newSeries prepares to denoise all pages.
func (p *pages) newSeries(ctx context.Context) *fileSeries {
	n := p.in.Pages()
	f := &fileSeries{oneScene: !p.o.Together && p.o.Quality != Fast && p.showOneScene(), stack: make([]int, n),
		number: make([]int, n), done: make([]pageResult, n), shares: make([]float64, n)}
	p.o.pageDone(0, n)
	for _, s := range p.in.Series() {
		for number, page := range s.Pages {
			f.stack[page], f.number[page] = len(f.stacks), number
		}
		reach := 0
		if p.o.Together {
			reach = stage.DefaultReach
		}
		var noise *seriesNoise
		known := false
		f.stacks = append(f.stacks, stage.NewStack(reach, func(i int) func(*stage.Page) {
			if i == len(s.Pages) {
				return nil
			}
			return func(page *stage.Page) {
				if !known && len(s.Pages) > 1 && (s.Sure || p.o.Together) {
					noise = p.o.noiseOf(ctx, p.some(s.Pages))
				}
				known = true
				o, ctx := p.o, withNoise(ctx, noise)
				o.Progress = f.progress(s.Pages[i], p.o.Progress)
				if p.o.Together {
					ctx = withPage(ctx, page)
				}
				r := &f.done[s.Pages[i]]
				if r.img, r.err = p.one(ctx, s.Pages[i], o); o.Progress != nil {
					o.Progress(1)
				}
				f.ended++
				p.o.pageDone(f.ended, n)
			}
		}))
	}
	return f
}

// showOneScene reports whether pages of the first series surely show one scene: three in the middle are compared. Of
// two unrelated pictures that are smooth, some look like one scene; of 299 pairs, 10. Slices in depth differ too much
// for their neighbours to help.
func (p *pages) showOneScene() bool {
	first := p.in.Series()[0]
	s := first.Pages
	info := p.in.Info()
	if len(s) < 3 || first.Depth || len(series.Measured(2, info.Width*info.Height*max(1, info.Channels))) < 2 {
		return false
	}
	var before patchify.Plane
	for i := range 3 {
		img, err := p.in.Page(s[len(s)/2-1+i])
		if err != nil || checkImage(img) != nil {
			return false
		}
		next := image{img.Planes, img.Width, img.Height}.gray(pool{workers: p.o.Workers})
		if i > 0 && (next.Width != before.Width || next.Height != before.Height || slices.Equal(next.Pix, before.Pix) ||
			!stage.SameScene(before, next)) {
			return false
		}
		before = next
	}
	return true
}

// progress returns the function that reports the progress on a page. Several pages may have begun, but only one is at
// work.
func (f *fileSeries) progress(page int, whole func(share float64)) func(share float64) {
	if whole == nil {
		return nil
	}
	return func(share float64) {
		f.passed += max(0, share-f.shares[page]) / float64(len(f.shares))
		f.shares[page] = max(share, f.shares[page])
		whole(min(f.passed, 1))
	}
}

// some reads some pages. Denoising a page reports what is wrong with it.
func (p *pages) some(numbers []int) (images []*imageio.Image) {
	info := p.in.Info()
	for _, i := range series.Measured(len(numbers), info.Width*info.Height*max(1, info.Channels)) {
		img, err := p.in.Page(numbers[i])
		if err != nil {
			return nil
		}
		images = append(images, img)
	}
	return images
}

// page returns a page when it is denoised.
func (f *fileSeries) page(i int) (*imageio.Image, error) {
	f.stacks[f.stack[i]].Finish(f.number[i])
	r := f.done[i]
	f.done[i] = pageResult{}
	return r.img, r.err
}

// close ends pages that nobody waits for.
func (p *pages) close() {
	if p.series == nil {
		return
	}
	for _, s := range p.series.stacks {
		s.Close()
	}
}
