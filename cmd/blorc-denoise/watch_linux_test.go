package main

import (
	"os"
	"testing"
)

// A daemon starts workers of its own version, whatever becomes of its file: the path does not name the file but the
// running program.
func TestWorkerIsTheRunningProgram(t *testing.T) {
	path, err := ownProgram()
	if err != nil || path != "/proc/self/exe" {
		t.Fatal(path, err)
	}
	file, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	a, err1 := os.Stat(path)
	b, err2 := os.Stat(file)
	if err1 != nil || err2 != nil || !os.SameFile(a, b) {
		t.Errorf("%s and %s are two files: %v, %v", path, file, err1, err2)
	}
}
