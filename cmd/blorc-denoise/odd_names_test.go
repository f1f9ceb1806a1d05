package main

import (
	"bytes"
	"encoding/json"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"
)

// TestOddNamesInJSON checks that a program finds a file by what --json says, also if its name is not UTF-8.
func TestOddNamesInJSON(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a\xff.png")
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 8, 8))); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path, path + ".orig"} {
		if err := os.WriteFile(name, picture.Bytes(), 0o666); err != nil {
			t.Skip("no such names here: ", err)
		}
	}
	for _, args := range [][]string{{"noise", "estimate", dir, "--json"},
		{"restore", dir, "--json", "--dry-run", "--history", "none"}} {
		var out, messages bytes.Buffer
		var got struct {
			Bytes []byte `json:"path_base64"`
		}
		if code := run(t.Context(), args, &out, &messages); code != 0 {
			t.Errorf("%q: exit code %d, %s", args, code, messages.Bytes())
		}
		if err := json.Unmarshal(out.Bytes(), &got); err != nil || string(got.Bytes) != path {
			t.Errorf("%q: %s, %v", args, out.Bytes(), err)
		}
	}
}

// TestOddNamesInScores checks that 'eval --json' tells the name of an image that is not UTF-8.
func TestOddNamesInScores(t *testing.T) {
	dir := t.TempDir()
	const name = "a\xff.png"
	var picture, out, messages bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 8, 8))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), picture.Bytes(), 0o666); err != nil {
		t.Skip("no such names here: ", err)
	}
	var got struct {
		Images []struct {
			Bytes []byte `json:"image_base64"`
		} `json:"images"`
	}
	if code := run(t.Context(), []string{"eval", dir, "--sigma", "10", "--quality", "fast", "--json"}, &out,
		&messages); code != 0 {
		t.Fatalf("exit code %d, %s", code, messages.Bytes())
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil || len(got.Images) != 1 ||
		string(got.Images[0].Bytes) != name {
		t.Errorf("%s, %v", out.Bytes(), err)
	}
}
