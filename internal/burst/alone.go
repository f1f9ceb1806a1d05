package burst

import "github.com/blorc-denoise/blorc-denoise/patchify"

const (
	// LeastTaken is the share of a shot below which it shows something else.
	LeastTaken = 0.2
	// LeftOfCamera is by how much less the level of a camera's noise counts after a mean than it is weaker. Much that
	// looks like noise in one shot is fine structure; in the mean, it is seen. On three drawn bursts this gains 0.4 to
	// 0.9 dB.
	LeftOfCamera = 0.5
	// The reference alone begins where the noise of the mean lies above littleMore of the way from where all shots take
	// part to where none does, in variances, and it is alone from muchMore on.
	littleMore, muchMore = 0.15, 0.6
)

// Alone returns which share the reference alone, denoised, has in the result, given the noise that Mean.Result tells
// for so many shots.
func Alone(noise patchify.Plane, shots int) patchify.Plane {
	out := patchify.NewPlane(noise.Width, noise.Height)
	if shots < 2 {
		return out
	}
	least := 1 / float32(shots)
	for i, v := range noise.Pix {
		t := min(1, max(0, ((v-least)/(1-least)-littleMore)/(muchMore-littleMore)))
		out.Pix[i] = t * t * (3 - 2*t)
	}
	return out
}
