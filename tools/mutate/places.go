package main

import (
	"path"
	"slices"
)

// places is all that is tried.
var places = slices.Concat(diskPlaces, watchPlaces, batchPlaces, viewPlaces, imagePlaces, endedPlaces)

// change is a place of a file of a package: the test that is to notice, what is promised, and the text before and
// after, of which the one before occurs once in the file.
type change struct{ file, test, promise, old, new string }

// in returns the places of a package. Its tests are run.
func in(pkg string, changes []change) (all []place) {
	for _, c := range changes {
		all = append(all, place{change: c, path: path.Join(pkg, c.file), pkg: pkg})
	}
	return all
}

// survivors are promises, and why no test can notice that they are broken.
var survivors = [][2]string{
	{"19: links, FIFOs and devices are left alone", "the look that follows takes regular files only, too"},
	{"24: only what the daemon made is renamed", "the exchange looks again"},
	{"an output is made of one version of its input, looked at after its digest",
		"the look before the digest is the same one; this one narrows an instant that no test can hit without a " +
			"hook of its own"},
	{"what changes before it is claimed is not worked on",
		"the look before the output has its name finds the change, too, after the work"},
	{"a line of a history has a limit", "the limit bounds memory, and the whole file has a limit, too"},
	{"no path leads up", "what is served is a list of names, so a path that leads up finds nothing there either"},
	{"a JPEG file has a limit of scans, known from its headers", "the decoder counts them, too"},
}

// explained returns why a broken promise is not noticed, or nothing.
func explained(promise string) string {
	for _, s := range survivors {
		if s[0] == promise {
			return s[1]
		}
	}
	return ""
}
