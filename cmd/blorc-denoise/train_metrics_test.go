package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/train"
)

// A report that cannot be written, as on a full disk, is told once and remembered.
func TestMetricsTellErrors(t *testing.T) {
	m, err := openMetrics(filepath.Join(t.TempDir(), "m.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	m.close()
	if err := m.add(train.Progress{}); err == nil {
		t.Error("no error of a file that is closed")
	}
	if err := m.add(train.Progress{}); err != nil || !m.failed() {
		t.Errorf("got %v, failed is %v", err, m.failed())
	}
}

// An interruption before the first checkpoint leaves nothing to go on from.
func TestTrainingKeepsItsCheckpoint(t *testing.T) {
	f := trainFlags{checkpoint: filepath.Join(t.TempDir(), "none", "c")}
	if err := os.WriteFile(filepath.Dir(f.checkpoint), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := f.save(nil); err == nil || f.kept {
		t.Errorf("got %v, kept is %v", err, f.kept)
	}
	f.checkpoint = filepath.Join(t.TempDir(), "c")
	if err := f.save(nil); err != nil || !f.kept {
		t.Errorf("got %v, kept is %v", err, f.kept)
	}
}
