//go:build !unix

package batch

// syncFolder does nothing: folders cannot be flushed here.
func syncFolder(string) error { return nil }
