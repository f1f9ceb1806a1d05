//go:build !unix

package batch

// jobsThatOpen is how many jobs the open files that the system allows suffice for.
func jobsThatOpen() int { return 1 << 20 }
