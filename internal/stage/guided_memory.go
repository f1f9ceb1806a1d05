package stage

import (
	"github.com/blorc-denoise/blorc-denoise/internal/hugepage"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// guidedMemory holds the planes that a Guided needs besides its input and its result. Kept from plane to plane, they
// leave no garbage, which would take as much memory again.
type guidedMemory struct {
	planes [][]float32
	next   *guidedMemory // at half the size
}

// Planes of a guidedMemory.
const (
	corrected = iota
	halfNoisy
	halfPilot
	halfResult
	halfGuides // any number
)

// smaller returns the memory for half the size.
func (m *guidedMemory) smaller() *guidedMemory {
	if m.next == nil {
		m.next = new(guidedMemory)
	}
	return m.next
}

// plane returns a plane whose content is undefined.
func (m *guidedMemory) plane(number, width, height int) patchify.Plane {
	for len(m.planes) <= number {
		m.planes = append(m.planes, nil)
	}
	m.planes[number] = hugepage.Grow(m.planes[number], width*height)
	return patchify.Plane{Width: width, Height: height, Pix: m.planes[number]}
}

// half returns a plane at half its size.
func (m *guidedMemory) half(number int, p patchify.Plane, workers int) patchify.Plane {
	out := m.plane(number, (p.Width+1)/2, (p.Height+1)/2)
	patchify.Downsample2Into(out, p, workers)
	return out
}
