package batch

import (
	"reflect"
	"testing"
)

func TestSequences(t *testing.T) {
	var jobs []Job
	add := func(size int64, paths ...string) {
		for _, p := range paths {
			jobs = append(jobs, Job{Item{Input: Input{Path: p}}, Size{Width: size, Height: size}})
		}
	}
	add(10, "b/f10.png", "b/f11.png", "b/f13.png", "b/f8.png", "b/f9.png")
	add(20, "b/f14.png")
	add(10, "a/f007.png", "a/f008.png", "a/f009.png", "a/f010.png", "a/g011.png", "a/g012.jpg", "plain.png",
		"other.png", "f99999999999999999999.png", "f100000000000000000000.png", "z0.png", "z1.png")
	add(0, "c/f1.png", "c/f2.png")
	var got [][]string
	for _, s := range Sequences(jobs) {
		var paths []string
		for _, j := range s {
			paths = append(paths, j.Path)
		}
		got = append(got, paths)
	}
	want := [][]string{
		{"b/f8.png", "b/f9.png", "b/f10.png", "b/f11.png"}, {"b/f13.png"}, {"b/f14.png"},
		{"a/f007.png", "a/f008.png", "a/f009.png", "a/f010.png"}, {"a/g011.png"}, {"a/g012.jpg"}, {"plain.png"},
		{"other.png"},
		{"f99999999999999999999.png", "f100000000000000000000.png"}, {"z0.png", "z1.png"}, {"c/f1.png"}, {"c/f2.png"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("sequences\n%v, want\n%v", got, want)
	}
}
