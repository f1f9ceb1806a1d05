package main

import (
	"image/png"
	"os"
	"path/filepath"
	"testing"
)

func TestDrawWritesPictures(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "new")
	if err := draw(folder, 7, 3, 48); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.png"))
	if err != nil || len(files) != 3 || filepath.Base(files[2]) != "0009.png" {
		t.Fatalf("%v, %v", files, err)
	}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(f)
		f.Close()
		if err != nil || img.Bounds().Dx() != 48 || img.Bounds().Dy() != 48 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if draw("", 0, 1, 48) == nil {
		t.Error("no error without a folder")
	}
}
