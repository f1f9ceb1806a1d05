package imageio

type pngMeta struct{}

func (*pngMeta) shared() (shared, error) { return shared{}, nil }

type jpegMeta struct{}

func (*jpegMeta) shared() shared { return shared{} }
