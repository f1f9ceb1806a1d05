package stage

// Scratch is memory for work on one page. All pages of a stack share it, since one of them runs at a time. Where a page
// waits, others overwrite it: of what a page had there, only the planes of its pass come back.
type Scratch struct {
	buffers  [][]float32
	denoiser denoiserMemory
}

// Scratch returns the memory that all pages of the stack share. A page that is alone has its own.
func (p *Page) Scratch() *Scratch {
	if p == nil {
		return new(Scratch)
	}
	return &p.stack.scratch
}

// Buffer returns the first n samples of a buffer. What is in them means nothing if it has grown.
func (s *Scratch) Buffer(number, n int) []float32 {
	for len(s.buffers) <= number {
		s.buffers = append(s.buffers, nil)
	}
	if cap(s.buffers[number]) < n {
		s.buffers[number] = make([]float32, n)
	}
	return s.buffers[number][:n]
}

// Use makes the denoiser use the memory for its results.
func (d *Denoiser) Use(s *Scratch) { d.memory = &s.denoiser }
