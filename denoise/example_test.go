package denoise_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/metric"
	"github.com/blorc-denoise/blorc-denoise/internal/noise"
	"github.com/blorc-denoise/blorc-denoise/internal/scene"
	"github.com/blorc-denoise/blorc-denoise/models"
)

func ExamplePlanes() {
	clean := scene.Gray(scene.Draw(128, 96))
	noisy := make([]float32, len(clean))
	noise.AddGaussian(noisy, clean, 25.0/255, noise.Source(1, "example"))

	family, err := models.Named(models.Default)
	if err != nil {
		panic(err)
	}
	image := [][]float32{slices.Clone(noisy)} // Planes overwrites it
	r, err := denoise.Planes(context.Background(), image, 128, 96,
		denoise.Options{Models: family, Sigma: denoise.EstimateSigma, Strength: 1})
	if err != nil {
		panic(err)
	}
	fmt.Println("model:", r.Model)
	fmt.Println("gain of at least 4 dB:", metric.PSNR(clean, image[0]) > metric.PSNR(clean, noisy)+4)
	// Output:
	// model: nonlocal 25.5
	// gain of at least 4 dB: true
}

func ExampleStream() {
	clean := scene.Gray(scene.Draw(64, 48))
	noise.AddGaussian(clean, clean, 25.0/255, noise.Source(1, "example"))
	var in, out bytes.Buffer
	picture := &imageio.Image{Width: 64, Height: 48, Planes: [][]float32{clean}, Depth: imageio.Depth8, Format: imageio.PNG}
	if err := imageio.Encode(&in, picture, imageio.WriteOptions{}); err != nil {
		panic(err)
	}

	family, err := models.Named(models.Default)
	if err != nil {
		panic(err)
	}
	r, err := denoise.Stream(context.Background(), &out, in.Bytes(), denoise.Options{Models: family, Sigma: 25, Strength: 1},
		imageio.ReadOptions{}, imageio.WriteOptions{Format: imageio.TIFF})
	if err != nil {
		panic(err)
	}
	fmt.Println("model:", r.Model)
	fmt.Printf("begins with: %q\n", out.Bytes()[:2])
	// Output:
	// model: nonlocal 25.5
	// begins with: "II"
}
