// Package hugepage makes large slices whose memory the system is asked to map in pages of 2 MB rather than of 4 kB. The
// first use of a page has a price, and so has each page that a processor cannot remember: networks that walk through
// planes of many megabytes take a fifth less time. Where the system does not know the wish, or does not grant it, the
// slices are as others.
package hugepage

import "unsafe"

// Min is the number of bytes from which a slice is large. Smaller ones have no whole page of 2 MB, as a rule.
const Min = 4 << 20

// Make returns a slice of n zero values. T has no pointers.
func Make[T any](n int) []T {
	s := make([]T, n)
	if size := n * int(unsafe.Sizeof(*new(T))); size >= Min {
		advise(unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), size))
	}
	return s
}

// whole returns the part of memory that consists of whole pages of a size.
func whole(memory []byte, page int) []byte {
	start := int(-uintptr(unsafe.Pointer(&memory[0])) & uintptr(page-1))
	if start+page > len(memory) {
		return nil
	}
	return memory[start : start+(len(memory)-start)&^(page-1)]
}

// Grow returns the first n values of s, or if there are not as many, new ones. Their content is undefined.
func Grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return Make[T](n)
	}
	return s[:n]
}
