package kernel

import (
	"fmt"
	"testing"
)

func TestFetchChangesNothing(t *testing.T) {
	for _, b := range backends {
		for _, n := range []int{1, 16, 17, 40, Lanes} {
			for _, rows := range []int{1, 2, 7} {
				m := &guards{}
				v := values(m, (rows-1)*50+n, normal(1))
				before := append([]float32{}, v...)
				withBackend(t, b, func() { Fetch(v, rows, n, 50) })
				m.intact(t, b.name)
				if !sameBits(v, before) {
					t.Errorf("%s: values have changed", b.name)
				}
			}
		}
	}
}

func TestFetchChecksSizes(t *testing.T) {
	v := make([]float32, 100)
	for _, c := range [][3]int{{0, 1, 1}, {1, 0, 1}, {1, Lanes + 1, 1}, {2, 1, -1}, {3, 1, 50}, {2, 41, 60}} {
		allPanic(t, map[string]func(){fmt.Sprint(c): func() { Fetch(v, c[0], c[1], c[2]) }})
	}
}
