package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Each place is found in the code once, and its promise is named. Whether a test notices the change is seen when the
// program runs.
func TestPlacesFitTheCode(t *testing.T) {
	for _, p := range places {
		text, err := os.ReadFile(filepath.Join("..", "..", p.path))
		if err != nil {
			t.Error(err)
			continue
		}
		if n := strings.Count(string(text), p.old); n != 1 {
			t.Errorf("%s: %q occurs %d times", p, p.old, n)
		}
		if p.old == p.new || p.promise == "" {
			t.Errorf("%s: nothing changes, or nothing is promised", p)
		}
		if _, err := regexp.Compile(p.test); err != nil {
			t.Errorf("%s: %v", p, err)
		}
	}
	for _, s := range survivors {
		if !slices.ContainsFunc(places, func(p place) bool { return p.promise == s[0] }) {
			t.Errorf("why nobody notices is said of %q, which is no promise", s[0])
		}
	}
}
