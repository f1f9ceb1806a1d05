package denoise

import (
	"context"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// measured returns the noise that is found in an image, as the program tells it.
func measured(ctx context.Context, img *imageio.Image, o FileOptions) (Result, error) {
	a, err := Analyse(ctx, img, o)
	if err != nil {
		return Result{}, err
	}
	return a.Result(), nil
}
