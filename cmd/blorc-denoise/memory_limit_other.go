//go:build !linux && !darwin

package main

// withinLimit lets this process do the work.
func withinLimit([]string) (int, bool) { return 0, false }
