package denoise_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"log"
	"math/rand/v2"
	"os"

	"github.com/disintegration/imaging"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// drawn returns a picture of squares with noise of 25 gray levels.
func drawn(width, height int) *image.Gray {
	rng := rand.New(rand.NewPCG(1, 2))
	img := image.NewGray(image.Rect(0, 0, width, height))
	for i := range img.Pix {
		x, y := i%width, i/width
		v := 70 + 100*float64((x/24+y/18)%2) + 25*rng.NormFloat64()
		img.Pix[i] = uint8(max(0, min(v, 255)))
	}
	return img
}

func ExampleImage() {
	img := drawn(256, 192)
	out, result, err := denoise.Image(context.Background(), img, denoise.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%v noise, model %s\n", result.Noise, result.Model)
	fmt.Printf("%T of %v\n", out, out.Bounds().Size())
	// Output:
	// gaussian noise, model unet + nonlocal 25.5
	// *image.Gray of (256,192)
}

// Load, denoise; resize and save with package imaging.
func ExampleImage_imaging() {
	if err := imaging.Save(drawn(128, 96), "noisy.png"); err != nil {
		log.Fatal(err)
	}

	file, err := os.Open("noisy.png")
	if err != nil {
		log.Fatal(err)
	}
	img, err := png.Decode(file)
	if err != nil {
		log.Fatal(err)
	}
	out, _, err := denoise.Image(context.Background(), img, denoise.Options{Quality: denoise.Fast})
	if err != nil {
		log.Fatal(err)
	}
	small := imaging.Resize(out, 64, 0, imaging.Lanczos)
	if err := imaging.Save(small, "small.png"); err != nil {
		log.Fatal(err)
	}
	fmt.Println(small.Bounds().Size())
	// Output: (64,48)
}

// The program of the README.
func ExampleFile_zero() {
	if err := imaging.Save(drawn(256, 192), "noisy.png"); err != nil {
		log.Fatal(err)
	}

	result, err := denoise.File(context.Background(), "noisy.png", "clean.png", denoise.FileOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("removed", result.Noise, "noise")
	// Output: removed gaussian noise
}

// Load and denoise; resize and save with package imaging.
func ExampleImage_files() {
	if err := imaging.Save(drawn(256, 192), "noisy.png"); err != nil {
		log.Fatal(err)
	}

	file, err := os.Open("noisy.png")
	if err != nil {
		log.Fatal(err)
	}
	img, err := png.Decode(file)
	if err != nil {
		log.Fatal(err)
	}
	out, result, err := denoise.Image(context.Background(), img, denoise.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("removed", result.Noise, "noise")
	err = imaging.Save(imaging.Fit(out, 1600, 1600, imaging.Lanczos), "clean.png")

	if err != nil {
		log.Fatal(err)
	}
	// Output: removed gaussian noise
}

// Planes denoises in place.
func ExamplePlanes() {
	img := drawn(128, 96)
	plane := make([]float32, len(img.Pix))
	for i, v := range img.Pix {
		plane[i] = float32(v) / 255
	}
	result, err := denoise.Planes(context.Background(), [][]float32{plane}, 128, 96, denoise.Options{Sigma: 25})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("model:", result.Model)
	// Output: model: unet + nonlocal 25.5
}

func ExampleFile() {
	if err := imaging.Save(drawn(64, 48), "in.png"); err != nil {
		log.Fatal(err)
	}
	o := denoise.FileOptions{Write: imageio.WriteOptions{Format: imageio.TIFF, Overwrite: true}}
	o.Quality = denoise.Best
	result, err := denoise.File(context.Background(), "in.png", "out.tif", o)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("found in the file:", result.Estimated)
	// Output: found in the file: true
}

func ExampleStream() {
	var in, out bytes.Buffer
	if err := png.Encode(&in, drawn(64, 48)); err != nil {
		log.Fatal(err)
	}
	_, err := denoise.Stream(context.Background(), &out, &in,
		denoise.FileOptions{Write: imageio.WriteOptions{Format: imageio.TIFF}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("begins with %q\n", out.Bytes()[:2])
	// Output: begins with "II"
}

// A detector of 20 photons at full scale, which counts from level 10.
func ExamplePhotonNoise() {
	img := drawn(64, 48)
	o := denoise.Options{Noise: denoise.Poisson, Photons: denoise.PhotonNoise{Gain: 12, Offset: 10, ReadNoise: 2}}
	_, result, err := denoise.Image(context.Background(), img, o)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Noise)
	// Output: poisson
}

func ExampleShippedModels() {
	models, err := denoise.ShippedModels("local")
	if err != nil {
		log.Fatal(err)
	}
	out, _, err := denoise.Image(context.Background(), drawn(64, 48), denoise.Options{Models: models})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out.At(10, 10).(color.Gray).Y < 110)
	// Output: true
}
