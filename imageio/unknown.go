package imageio

// rawFile returns the error for a raw file of a camera.
func rawFile(kind string) error {
	return failf(ErrUnsupported, "%s files of cameras hold unfinished pictures; develop this one first, for example in darktable or RawTherapee, and export it as 16-bit TIFF", kind)
}
