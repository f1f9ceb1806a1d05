//go:build !linux && !darwin

package watch

// LimitMemory bounds the address space of this process, where that is possible.
func LimitMemory(int64) error { return nil }
