//go:build !linux

package imageio

func largePages[T byte | float32]([]T) {}
