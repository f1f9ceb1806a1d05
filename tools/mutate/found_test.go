package main

import (
	"slices"
	"strings"
	"testing"
)

// Places are found where something is refused, limited, flushed or hidden, and nowhere else.
func TestPlacesAreFound(t *testing.T) {
	const code = `package p

func refuses(n int) (int, error) {
	if n > 3 && n%2 == 0 {
		return 0, errOdd
	}
	if err := other(); err != nil {
		return 0, err
	}
	if n == 4 {
		return 4, nil
	}
	return n, nil
}

func limited(n int) bool {
	if n >= maxItems {
		return false
	}
	if n == 1 {
		return true
	}
	return with(func() error {
		if n < 0 {
			return errNegative
		}
		return nil
	})
}

func writes(f *os.File) error {
	g, _ := os.OpenFile("x", os.O_CREATE|os.O_EXCL, 0o600)
	os.Mkdir("y", 0o777)
	mu.Lock()
	return f.Sync()
}
`
	found, err := findIn("pkg", "p.go", []byte(code))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range found {
		if !strings.HasPrefix(code[p.at:], p.old) {
			t.Errorf("%s is not at its place", p)
		}
		got = append(got, p.old+" -> "+p.new)
	}
	slices.Sort(got)
	want := []string{"0o600 -> 0o777", "f.Sync() -> error(nil)", "n < 0 -> false && (n < 0)",
		"n > 3 && n%2 == 0 -> false && (n > 3 && n%2 == 0)", "n >= maxItems -> false && (n >= maxItems)",
		"os.O_EXCL -> 0*os.O_EXCL"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// There is enough to draw from.
func TestGuardedPackagesHavePlaces(t *testing.T) {
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	all, err := find(root)
	if err != nil || len(all) < 300 {
		t.Errorf("%d places, %v", len(all), err)
	}
}
