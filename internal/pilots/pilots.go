// Package pilots has the picture that denoise.Pilots takes. As it is internal, programs of this module alone can call
// the methods of that value: who denoises needs none of them.
package pilots

// Picture is a picture without noise and with noise: one gray plane or three of a colour picture, of Width x Height
// samples on a scale of 0 to 1.
type Picture struct {
	Clean, Noisy  [][]float32
	Width, Height int
	Sigma         float64 // of the noise that the stages are told, on the scale of the samples
	Workers       int
}
