//go:build noasm || !amd64

package scan

func assembly() []*loops { return nil }
