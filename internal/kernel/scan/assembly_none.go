//go:build noasm || !amd64

package scan

func assembly() []*kernel { return nil }
