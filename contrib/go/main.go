// Command go denoises a photograph and makes a small version of it, to show package denoise beside a package for
// images.
//
//	go run . in.jpg out.png
package main

import (
	"context"
	"fmt"
	"image"
	_ "image/jpeg" // what image.Decode reads
	_ "image/png"
	"os"
	"os/signal"

	"github.com/disintegration/imaging"

	"github.com/blorc-denoise/blorc-denoise/denoise"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: go run . IN OUT")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1], os.Args[2])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run denoises before it makes the picture smaller: afterwards the noise would no longer be what the models expect.
func run(ctx context.Context, in, out string) error {
	file, err := os.Open(in)
	if err != nil {
		return err
	}
	defer file.Close()
	img, _, err := image.Decode(file)
	if err != nil {
		return fmt.Errorf("%s: %w", in, err)
	}
	clean, found, err := denoise.Image(ctx, img, denoise.Options{Quality: denoise.Fast})
	if err != nil {
		return fmt.Errorf("%s: %w", in, err)
	}
	fmt.Println("removed", found)
	small := imaging.Sharpen(imaging.Fit(clean, 1600, 1600, imaging.Lanczos), 0.5)
	return imaging.Save(small, out)
}
