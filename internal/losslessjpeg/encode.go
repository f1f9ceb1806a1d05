package losslessjpeg

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// Encode writes a picture with predictor 1, which every reader knows. Samples of row y begin at y*stride. Neighbours in
// a row belong to two components if the width is even, as Adobe writes mosaics. All samples have the given bits.
func Encode(samples []uint16, width, height, stride, depth int) []byte {
	n := 1
	if width%2 == 0 {
		n = 2
	}
	var counts [categories]int
	eachDifference(samples, width, height, stride, depth, n, func(d uint16) { counts[category(d)]++ })
	lengths, values := huffman(counts)
	codes := assign(lengths, values)

	b := []byte{0xff, markerSOI}
	b = segment(b, markerDHT, append(append([]byte{0}, lengths[:]...), values...))
	frame := []byte{byte(depth), byte(height >> 8), byte(height), byte(width / n >> 8), byte(width / n), byte(n)}
	scan := []byte{byte(n)}
	for i := range byte(n) {
		frame = append(frame, i, 0x11, 0)
		scan = append(scan, i, 0)
	}
	b = segment(b, markerSOF3, frame)
	b = segment(b, markerSOS, append(scan, 1, 0, 0))

	w := writer{out: slices.Grow(b, width*height)}
	eachDifference(samples, width, height, stride, depth, n, func(d uint16) {
		c := category(d)
		w.put(codes[c].bits, codes[c].size)
		if c > 0 && c < 16 {
			v := uint32(d)
			if d >= 1<<15 { // negative
				v = uint32(d - 1)
			}
			w.put(v&(1<<c-1), c)
		}
	})
	return append(w.end(), 0xff, markerEOI)
}

// eachDifference calls f with the difference of each sample from its prediction, modulo 2^16.
func eachDifference(samples []uint16, width, height, stride, depth, n int, f func(d uint16)) {
	for y := range height {
		row := samples[y*stride:][:width]
		for i, v := range row[:n] {
			if y == 0 {
				f(v - 1<<(depth-1))
			} else {
				f(v - samples[(y-1)*stride+i])
			}
		}
		for x := n; x < width; x++ {
			f(row[x] - row[x-n])
		}
	}
}

// category returns the number of bits of a difference modulo 2^16.
func category(d uint16) uint {
	if d >= 1<<15 {
		d = -d
	}
	return uint(bits.Len16(d))
}

func segment(b []byte, marker byte, body []byte) []byte {
	b = append(b, 0xff, marker)
	b = binary.BigEndian.AppendUint16(b, uint16(len(body)+2))
	return append(b, body...)
}

// code is a code of a Huffman table.
type code struct {
	bits uint32
	size uint
}

// assign returns the codes of a table.
func assign(lengths [16]byte, values []byte) (codes [categories]code) {
	next, k := uint32(0), 0
	for i, n := range lengths {
		for range n {
			codes[values[k]] = code{next, uint(i + 1)}
			next, k = next+1, k+1
		}
		next <<= 1
	}
	return codes
}

// huffman returns the best table for counts of categories: the number of codes of each length, and the categories in
// order. No code has only ones, and none is longer than 16 bits (T.81, section K.2).
func huffman(counts [categories]int) (lengths [16]byte, values []byte) {
	type node struct{ weight, members int } // members is a set of categories; the last one keeps the code of ones free
	var nodes []node
	var sizes [categories + 1]int
	for c, n := range counts {
		if n > 0 {
			nodes = append(nodes, node{n, 1 << c})
		}
	}
	nodes = append(nodes, node{0, 1 << categories})
	for len(nodes) > 1 {
		slices.SortStableFunc(nodes, func(a, b node) int { return b.weight - a.weight })
		a, b := nodes[len(nodes)-2], nodes[len(nodes)-1]
		both := node{a.weight + b.weight, a.members | b.members}
		for c := range sizes {
			sizes[c] += both.members >> c & 1
		}
		nodes = append(nodes[:len(nodes)-2], both)
	}
	var bySize [categories + 2]int
	for _, n := range sizes {
		bySize[n]++
	}
	bySize[0] = 0
	if bySize[17] > 0 { // the longest codes come in pairs: one takes the place above, the other that of a shorter code
		j := 15
		for bySize[j] == 0 {
			j--
		}
		bySize[17], bySize[16] = bySize[17]-2, bySize[16]+1
		bySize[j], bySize[j+1] = bySize[j]-1, bySize[j+1]+2
	}
	longest := 16
	for bySize[longest] == 0 {
		longest--
	}
	bySize[longest]-- // the code of ones
	for i := range lengths {
		lengths[i] = byte(bySize[i+1])
	}
	for c, n := range counts {
		if n > 0 {
			values = append(values, byte(c))
		}
	}
	slices.SortStableFunc(values, func(a, b byte) int { return sizes[a] - sizes[b] })
	return lengths, values
}

// writer writes bits, and a zero after each byte of ones.
type writer struct {
	out   []byte
	bits  uint64
	count uint
}

func (w *writer) put(v uint32, n uint) {
	w.bits, w.count = w.bits<<n|uint64(v), w.count+n
	for w.count >= 8 {
		w.count -= 8
		b := byte(w.bits >> w.count)
		if w.out = append(w.out, b); b == 0xff {
			w.out = append(w.out, 0)
		}
	}
}

// end fills the last byte with ones.
func (w *writer) end() []byte {
	if w.count > 0 {
		w.put(1<<(8-w.count)-1, 8-w.count)
	}
	return w.out
}
