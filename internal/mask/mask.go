package mask

import (
	"image"
	"iter"
	"math"
	"math/bits"
)

// Mask marks some samples of a plane. A nil Mask marks none.
type Mask struct {
	words  []uint64
	marked int
}

// New returns a mask of a number of samples that marks none.
func New(samples int) *Mask { return &Mask{words: make([]uint64, (samples+63)/64)} }

// Mark marks sample i.
func (m *Mask) Mark(i int) {
	if word, bit := &m.words[i/64], uint64(1)<<(i%64); *word&bit == 0 {
		*word |= bit
		m.marked++
	}
}

// Has reports whether sample i is marked.
func (m *Mask) Has(i int) bool { return m != nil && m.words[i/64]>>(i%64)&1 != 0 }

// run returns how many of n samples from i on are marked, or not, until the first one that differs.
func (m *Mask) run(i, n int, marked bool) int {
	for done := 0; done < n; {
		rest := m.words[(i+done)/64]
		if marked {
			rest = ^rest
		}
		same := bits.TrailingZeros64(rest >> ((i + done) % 64))
		left := 64 - (i+done)%64
		if done += min(same, left); same < left {
			return min(done, n)
		}
	}
	return n
}

// Rest returns the smallest rectangle that holds all samples that are not marked.
func (m *Mask) Rest(width, height int) (rest image.Rectangle) {
	if m.Len() == 0 {
		return image.Rect(0, 0, width, height)
	}
	for y := range height {
		from := m.run(y*width, width, true)
		if from == width {
			continue
		}
		to := width
		for m.Has(y*width + to - 1) {
			to--
		}
		rest = rest.Union(image.Rect(from, y, to, y+1))
	}
	return rest
}

// Len returns the number of marked samples.
func (m *Mask) Len() int {
	if m == nil {
		return 0
	}
	return m.marked
}

// Equal returns a mask of the samples that have a value. It is nil if none has.
func Equal(plane []float32, value float32) *Mask {
	var m *Mask
	for i, v := range plane {
		if v == value {
			m = m.mark(i, len(plane))
		}
	}
	return m
}

// Invalid returns a mask of the samples that are NaN or infinite. It is nil if there are none.
func Invalid(plane []float32) *Mask {
	var m *Mask
	for i, v := range plane {
		if v-v != 0 {
			m = m.mark(i, len(plane))
		}
	}
	return m
}

// mark marks sample i of a plane in a mask that may be nil yet.
func (m *Mask) mark(i, samples int) *Mask {
	if m == nil {
		m = New(samples)
	}
	m.Mark(i)
	return m
}

// All yields the marked samples in order.
func (m *Mask) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		if m == nil {
			return
		}
		for i, word := range m.words {
			for ; word != 0; word &= word - 1 {
				if !yield(64*i + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}

// Union returns a mask of all samples that one of two masks of a plane marks. It may be one of them.
func (m *Mask) Union(other *Mask) *Mask {
	switch {
	case other.Len() == 0:
		return m
	case m.Len() == 0:
		return other
	}
	both := &Mask{words: make([]uint64, len(m.words))}
	for i, word := range m.words {
		both.words[i] = word | other.words[i]
		both.marked += bits.OnesCount64(both.words[i])
	}
	return both
}

// Without returns a mask of the samples that m marks and the other mask does not.
func (m *Mask) Without(other *Mask) *Mask {
	if other.Len() == 0 || m.Len() == 0 {
		return m
	}
	rest := &Mask{words: make([]uint64, len(m.words))}
	for i, word := range m.words {
		rest.words[i] = word &^ other.words[i]
		rest.marked += bits.OnesCount64(rest.words[i])
	}
	return rest
}

// Values holds the values of marked samples in order, as runs of equal values.
type Values []run

type run struct {
	value float32
	n     int32
}

// Values returns the values of the marked samples of a plane.
func (m *Mask) Values(plane []float32) (values Values) {
	for i := range m.All() {
		if last := len(values) - 1; last >= 0 && sameBits(values[last].value, plane[i]) &&
			values[last].n < math.MaxInt32 {
			values[last].n++
			continue
		}
		values = append(values, run{plane[i], 1})
	}
	return values
}

// sameBits tells zeros of two signs apart, and not a NaN from itself.
func sameBits(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }

// With yields the marked samples in order, each with its value.
func (m *Mask) With(values Values) iter.Seq2[int, float32] {
	return func(yield func(int, float32) bool) {
		used := int32(0)
		for i := range m.All() {
			if used == values[0].n {
				values, used = values[1:], 0
			}
			if !yield(i, values[0].value) {
				return
			}
			used++
		}
	}
}

// Restore gives the marked samples of a plane their values back.
func (m *Mask) Restore(plane []float32, values Values) {
	for i, v := range m.With(values) {
		plane[i] = v
	}
}
