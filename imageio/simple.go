package imageio

// simple returns the image as PNG and JPEG hold it: with samples of 8 or 16 bits, or 1 bit if it is gray with two
// levels, and with colours that are not multiplied by alpha. It shares planes with the image where they are the same.
func (m *Image) simple() *Image {
	s := *m
	s.stored = storedAs{}
	switch bits := m.Depth.bits(); {
	case bits == 1 && len(m.Planes) == 1 && m.Alpha == nil:
	case bits <= 8:
		s.Depth = Depth8
	default:
		s.Depth = Depth16
	}
	if m.Premultiplied && m.Alpha != nil {
		s.Planes, s.Premultiplied = nil, false
		for _, p := range m.Planes {
			s.Planes = append(s.Planes, append([]float32(nil), p...))
		}
		s.unpremultiply()
	}
	return &s
}
