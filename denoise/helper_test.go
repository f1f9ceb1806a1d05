package denoise

import (
	"context"

	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// jobOf returns a job that does not end.
func jobOf(o Options) job { return newJob(context.Background(), o) }

// noiseIn returns the noise that options give, or that is found in an image.
func noiseIn(img image, o Options) noiseModel {
	f, err := jobOf(o).noiseOf(channel{image: img})
	if err != nil {
		panic(err)
	}
	return f.noise
}

// tiled is Planes with tiles of about a side.
func tiled(planes [][]float32, width, height int, o Options, side int) (Result, error) {
	j := jobOf(o)
	j.tileSide = side
	return j.planes(planes, width, height)
}

// viewIn returns the view of an image that is all picture.
func viewIn(img image) view {
	v, err := jobOf(Options{}).measured(img)
	if err != nil {
		panic(err)
	}
	return v
}

// removeByStages removes white noise without a network.
func removeByStages(n evenNoise, img image, o Options) error {
	if len(img.planes) == 3 {
		decorrelate(img.planes, pool{})
		defer correlate(img.planes, pool{})
	}
	choose := n.chooseFor(plans[whiteNoise][o.Quality], len(img.planes), o)
	var tasks []task
	for i, p := range img.planes {
		m, err := choose(i)
		if err != nil {
			return err
		}
		tasks = append(tasks, task{plane: patchify.Plane{Width: img.width, Height: img.height, Pix: p}, planeModel: m})
	}
	c := evenClamp(n.sigma, n.chroma, len(img.planes))
	return newTiler(tasks, jobOf(o), c).denoise(context.Background())
}

// removeEven removes noise of one level.
func removeEven(n evenNoise, img image, o Options) error {
	_, err := noiseModel{even: n}.remove(jobOf(o), img)
	return err
}
