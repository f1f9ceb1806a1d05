package denoise

import (
	"math"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/models"
)

// Bytes of memory that the models take for each sample of a window, measured on images of 12 to 100 megapixels. Best
// keeps the groups of three passes.
const (
	windowBytes     = 38
	windowBytesBest = 46
	chromaBytes     = 18 // more for colour images
	// for each pixel of the image, while the chroma of the whole image is denoised (see wholeChroma)
	wholeBytes = 4
)

// Memory estimates the bytes of memory that File takes, or Series with Options.Together, for one series. It counts the
// bytes of the file, which are in memory for PNG and JPEG, the samples of the largest page, what reading and writing or
// the models need on top, whichever is more, and 16 MB for the program. The models that are loaded take up to 130 MB
// more, most of it the two U-Nets; those of a series are counted. Garbage is not counted: with the usual GOGC it may be
// as much as all of this again, so a server that counts on the number should set a lower GOGC (the command line sets
// 20) or GOMEMLIMIT. A zero Info means an uncompressed image of one byte per sample.
func Memory(info imageio.Info, fileBytes int64, o Options) int64 {
	const program = 16 << 20
	if o = o.withModels(); o.Wrap { // for each page
		margins := 2 * wrapMargin
		more := int64(info.Width+margins) * int64(info.Height+margins) * int64(max(info.Channels, 1))
		o.Wrap, info.Samples = false, info.Samples+more
		return Memory(info, fileBytes, o)
	}
	samples, pixels := info.Samples, info.Samples
	switch {
	case samples == 0:
		samples, pixels = fileBytes, fileBytes
	case info.Pages == 1:
		pixels = samples / int64(max(info.Channels, 1))
	}
	if info.Format == imageio.TIFF { // read in parts
		fileBytes = 0
	}
	window := int64(windowBytes)
	if o.Quality == Best {
		window = windowBytesBest
	}
	if info.Channels >= 3 {
		window += chromaBytes
	}
	work := window * min(pixels, maxWindow)
	if info.Channels >= 3 {
		const kept = 2 * 4 // two planes of float32
		work = max(work+kept*pixels/(wholeSide*wholeSide), wholeBytes*pixels)
	}
	if o.Models.refined(false) && (o.Noise == Auto || o.Noise == Gaussian || o.Noise == Poisson) {
		// The noise may be white. The pilots stay in memory, and the network is done before tiles begin.
		pilots := 4 * samples
		if info.Channels > 3 { // alpha has none
			pilots = samples / int64(info.Channels) * 3 * 4
		}
		work = pilots + max(work, networkMemory(info, pixels, o))
	}
	if o.Grain > 0 {
		work += 4 * pixels
	}
	uneven := o.Noise == Poisson || o.Profile != nil || o.Noise == Auto && o.Sigma == 0 // or it may turn out to be
	broad := o.Noise == Camera || o.Noise == Auto && o.Sigma == 0
	if (uneven || broad) && (o.strength(0) < 1 || o.strength(1) < 1) || broad && o.Grain > 0 {
		work += 4 * samples
	}
	return program + fileBytes + 4*samples + max(info.Scratch, work) + seriesMemory(info, samples, o)
}

// seriesMemory returns what a series of pages with the given samples takes beyond one of them: the pages that have
// begun, what was made white of them and their pilots, and what passes and the mean hold of neighbours. It is up to a
// quarter more than the peaks of series of 20 to 40 pages of 0.3 and 1.2 megapixels.
func seriesMemory(info imageio.Info, samples int64, o Options) int64 {
	if !o.Together || o.Quality == Fast {
		return 0
	}
	planes := int64(1)
	if info.Channels >= 3 {
		planes = 3
	}
	pixels := samples / int64(max(info.Channels, 1))
	ahead, passes := int64(o.seriesAhead()), int64(o.seriesPasses())
	// planes of samples: four of each, and one that is compared
	held := (2*stage.DefaultReach + 1) * (passes*(4*planes+1) + planes + 1)
	loaded := int64(230e6) // the models of all passes, and the least garbage
	return loaded + ahead*3*4*samples + held*4*pixels
}

// networkMemory returns what the U-Net takes for the largest page, besides its pilots.
func networkMemory(info imageio.Info, pixels int64, o Options) int64 {
	planes := 1
	if info.Channels >= 3 {
		planes = 3
	}
	width, height := info.Width, info.Height
	if info.Pages != 1 || width < 1 || height < 1 { // other pages may be larger
		// a larger image is computed in parts of about this side
		width = int(min(math.Ceil(math.Sqrt(float64(pixels))), 1024))
		height = width
	}
	network, _ := models.NetworkFor(planes, o.Quality == Fast)
	return max(network.Memory(width, height, o.Workers), network.Memory(height, width, o.Workers)) // turned by a camera
}
