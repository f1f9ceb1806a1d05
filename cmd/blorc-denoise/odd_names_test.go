package main

import (
	"encoding/json"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"
)

// A program finds a file by what --json says, also if its name is not UTF-8.
func TestOddNamesInJSON(t *testing.T) {
	const name = "a\xff.png"
	dir := t.TempDir()
	path := filepath.Join(dir, name)
	for _, path := range []string{path, path + ".orig"} {
		f, err := os.Create(path)
		if err != nil {
			t.Skip("no such names here: ", err)
		}
		defer f.Close()
		if err := png.Encode(f, image.NewGray(image.Rect(0, 0, 8, 8))); err != nil {
			t.Fatal(err)
		}
	}
	for want, words := range map[string][][]string{
		path: {{"noise", "estimate", dir, "--json"},
			{"restore", dir, "--json", "--dry-run", "--history", "none", "-q"}},
		name: {{"eval", dir, "--sigma", "10", "--quality", "fast", "--json"}},
	} {
		for _, w := range words {
			var got struct {
				Path   []byte `json:"path_base64"`
				Images []struct {
					Name []byte `json:"image_base64"`
				} `json:"images"`
			}
			code, text := call(t, w...)
			if err := json.Unmarshal([]byte(text), &got); err != nil || code != exitOK {
				t.Errorf("%q: exit code %d, %s, %v", w, code, text, err)
			}
			if len(got.Images) == 1 {
				got.Path = got.Images[0].Name
			}
			if string(got.Path) != want {
				t.Errorf("%q: %s", w, text)
			}
		}
	}
}
