package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A bank stays the same when further ones are added, and no picture is made twice.
func TestBanks(t *testing.T) {
	folder := t.TempDir()
	touch := func(name string) {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for i := range trainedReal + 20 {
		touch(fmt.Sprintf("cbsd432/%d.jpg", i))
		touch(fmt.Sprintf("urban100/train/%d.png", i))
		touch(fmt.Sprintf("bsd400/%d.png", i))
		touch(fmt.Sprintf("photographs/%d.png", i))
		touch(fmt.Sprintf("polyu/%02d_real.JPG", i))
	}
	for _, photographs := range []bool{false, true} {
		testBanks(t, folder, photographs)
	}
	if _, err := recipes(t.TempDir(), bankSize, false); err == nil {
		t.Error("an empty folder has pictures")
	}
}

func testBanks(t *testing.T, folder string, photographs bool) {
	one, err := recipes(folder, bankSize, photographs)
	if err != nil {
		t.Fatal(err)
	}
	two, err := recipes(folder, 2*bankSize, photographs)
	if err != nil {
		t.Fatal(err)
	}
	if len(two) != 2*len(one) || !slices.Equal(two[:len(one)], one) {
		t.Errorf("%d pictures in a bank, %d in two", len(one), len(two))
	}
	names := map[string]bool{}
	for _, r := range two {
		if names[r.name()] {
			t.Fatalf("%s is there twice", r.name())
		}
		names[r.name()] = true
	}
}
