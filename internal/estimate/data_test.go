package estimate

import (
	"fmt"
	"image"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/noise"
)

// photograph has its samples on a scale of 0 to 255.
type photograph struct {
	name          string
	planes        [][]float32
	width, height int
}

// TestSigmaOnPhotographs measures the errors of Sigma on photographs that its constants were not chosen on. The
// environment variable BLORC_DATA names a folder with PNG files in set12/ (gray), kodak24/ and urban100/val/ (both
// colour).
//
//	BLORC_DATA=/path/to/data go test -v -timeout 30m -run Photographs ./internal/estimate
func TestSigmaOnPhotographs(t *testing.T) {
	data := os.Getenv("BLORC_DATA")
	if data == "" {
		t.Skip("BLORC_DATA does not name a folder with set12/, kodak24/ and urban100/val/")
	}
	colour := readFolder(t, filepath.Join(data, "kodak24"))
	urban := readFolder(t, filepath.Join(data, "urban100", "val"))
	sets := []struct {
		name   string
		images []photograph
	}{
		{"set12", lumas(readFolder(t, filepath.Join(data, "set12")))},
		{"kodak24 gray", lumas(colour)},
		{"kodak24 colour", colour},
		{"urban100/val gray", lumas(urban)},
		{"urban100/val colour", urban},
	}
	for _, set := range sets {
		t.Run(set.name, func(t *testing.T) { checkSet(t, set.images) })
	}
}

func checkSet(t *testing.T, images []photograph) {
	for _, sigma := range []float64{0, 1, 2} {
		for _, clip := range []bool{false, true} {
			t.Log(newRow(images, sigma, clip))
		}
	}
	total, sigmas := 0.0, []float64{5, 10, 15, 20, 25, 30, 40, 50}
	for _, sigma := range sigmas {
		got := newRow(images, sigma, false)
		t.Log(got)
		t.Log(newRow(images, sigma, true))
		total += got.mean / sigma
		if math.Abs(got.worst) > 0.15*sigma {
			t.Errorf("worst error is over 15 %%: %v", got)
		}
		if got.mean > 0.05*sigma {
			t.Errorf("mean error is over 5 %%: %v", got)
		}
	}
	t.Logf("mean over all sigmas: %.2f %%", 100*total/float64(len(sigmas)))
}

// row holds the errors at one sigma, in gray levels of 0-255.
type row struct {
	sigma, mean, bias, worst float64
	name                     string
	clip                     bool
}

func newRow(images []photograph, sigma float64, clip bool) row {
	const seeds = 3
	differences := make([]float64, seeds*len(images))
	var group sync.WaitGroup
	for i := range differences {
		group.Go(func() {
			photo := images[i/seeds]
			planes := addNoise(photo, sigma, uint64(i%seeds), clip)
			differences[i] = 255*Sigma(planes, photo.width, photo.height, 0) - sigma
		})
	}
	group.Wait()
	result := row{sigma: sigma, clip: clip}
	for i, difference := range differences {
		result.mean += math.Abs(difference) / float64(len(differences))
		result.bias += difference / float64(len(differences))
		if math.Abs(difference) >= math.Abs(result.worst) {
			result.worst, result.name = difference, images[i/seeds].name
		}
	}
	return result
}

func (r row) String() string {
	kind := "float"
	if r.clip {
		kind = "8 bit"
	}
	if r.sigma <= 2 {
		return fmt.Sprintf("sigma %2g %s: result %5.2f on average, largest error %+.2f (%s)",
			r.sigma, kind, r.sigma+r.bias, r.worst, r.name)
	}
	percent := 100 / r.sigma
	return fmt.Sprintf("sigma %2g %s: mean error %5.2f %%, bias %+6.2f %%, worst %+6.2f %% (%s)",
		r.sigma, kind, percent*r.mean, percent*r.bias, percent*r.worst, r.name)
}

func addNoise(photo photograph, sigma float64, seed uint64, clip bool) [][]float32 {
	rng := noise.Source(seed, photo.name)
	planes := make([][]float32, len(photo.planes))
	for i, plane := range photo.planes {
		planes[i] = make([]float32, len(plane))
		noise.AddGaussian(planes[i], plane, sigma, rng)
		for j, level := range planes[i] {
			if clip {
				level = float32(math.Round(float64(min(255, max(0, level)))))
			}
			planes[i][j] = level / 255
		}
	}
	return planes
}

func readFolder(t *testing.T, folder string) []photograph {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "*.png"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no PNG files in %s (%v)", folder, err)
	}
	images := make([]photograph, len(paths))
	for i, path := range paths {
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		decoded, err := png.Decode(file)
		file.Close()
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		images[i] = fromImage(filepath.Base(path), decoded)
	}
	return images
}

func fromImage(name string, decoded image.Image) photograph {
	bounds := decoded.Bounds()
	photo := photograph{name: name, width: bounds.Dx(), height: bounds.Dy(), planes: make([][]float32, 3)}
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			r, g, b, _ := decoded.At(x, y).RGBA()
			for i, sample := range []uint32{r, g, b} {
				photo.planes[i] = append(photo.planes[i], float32(sample>>8))
			}
		}
	}
	return photo
}

// lumas returns the rounded BT.601 lumas of colour images.
func lumas(colour []photograph) []photograph {
	gray := make([]photograph, len(colour))
	for i, photo := range colour {
		luma := make([]float32, photo.width*photo.height)
		for j := range luma {
			r, g, b := photo.planes[0][j], photo.planes[1][j], photo.planes[2][j]
			luma[j] = float32(math.Round(0.299*float64(r) + 0.587*float64(g) + 0.114*float64(b)))
		}
		gray[i] = photograph{name: photo.name, planes: [][]float32{luma}, width: photo.width, height: photo.height}
	}
	return gray
}
