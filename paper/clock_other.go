//go:build !unix

package paper

// processorSeconds is not known here.
func processorSeconds() float64 { return 0 }
