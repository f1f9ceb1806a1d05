//go:build !unix

package paper

// processorSeconds returns 0, as the processor time is not known on this system.
func processorSeconds() float64 { return 0 }
