//go:build !linux

package imageio

func largePages([]float32) {}
