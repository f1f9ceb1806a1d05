// Package camera simulates what cameras do to pictures: light and colours of a sensor, its noise, a mosaic of colour
// filters, demosaicing, white balance, tone curve, smoothing, sharpening, resizing and JPEG. It makes the noise of
// photographs, for training and for tests.
package camera
