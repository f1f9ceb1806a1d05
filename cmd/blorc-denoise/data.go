package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// errNoImages is the error for folders without images.
var errNoImages = fmt.Errorf("%w: a folder without PNG, JPEG or TIFF files", errMismatch)

// errOneGray is the kind of errors of pairs of a gray image and one in colour.
var errOneGray = fmt.Errorf("%w: only one is in colour", errMismatch)

// images returns the image files of a folder, sorted by name, or the file itself. It looks at names only.
func images(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fileError{path, err}
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, fileError{path, err}
	}
	var files []string
	for _, e := range entries {
		if _, ok := imageio.InputFormatOf(e.Name()); ok && !e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			files = append(files, filepath.Join(path, e.Name()))
		}
	}
	if len(files) == 0 {
		return nil, fileError{path, errNoImages}
	}
	return files, nil
}

// pair is a clean file and its noisy counterpart, if there is one.
type pair struct{ clean, noisy string }

// pairsOf matches the images of two folders by name without extension.
func pairsOf(clean, noisy string) ([]pair, []error) { return pairNames{}.pairs(clean, noisy) }

// matchBy matches files by their names. Of files with one name in a folder it is not known which is meant.
func matchBy(cleanFiles, noisyFiles []string, cleanName, noisyName func(path string) string) (pairs []pair,
	errs []error) {
	noisyOf, twice := byName(noisyFiles, noisyName)
	cleanOf, errs := byName(cleanFiles, cleanName)
	errs = append(errs, twice...)
	for _, c := range cleanFiles {
		name := cleanName(c)
		n, ok := noisyOf[name]
		switch {
		case cleanOf[name] != c: // another one has the name
		case ok && samePath(c, n):
			errs = append(errs, itself(c))
		case ok:
			pairs = append(pairs, pair{c, n})
		default:
			errs = append(errs, fileError{c, fmt.Errorf("%w: no noisy image of this name", errMismatch)})
		}
	}
	for _, n := range noisyFiles {
		if _, ok := cleanOf[noisyName(n)]; !ok && noisyOf[noisyName(n)] == n {
			errs = append(errs, fileError{n, fmt.Errorf("%w: no clean image of this name", errMismatch)})
		}
	}
	return pairs, errs
}

// itself is the error of an image that would be its own noisy image, as when the names of both have one ending.
func itself(path string) error {
	return fileError{path, fmt.Errorf("%w: it is its own noisy image", errMismatch)}
}

// byName returns the first file of each name, and errors for the others.
func byName(files []string, name func(path string) string) (of map[string]string, errs []error) {
	of = map[string]string{}
	for _, f := range files {
		if first, ok := of[name(f)]; ok {
			errs = append(errs, fileError{f, fmt.Errorf("%w: %s has the same name", errMismatch, first)})
			continue
		}
		of[name(f)] = f
	}
	return of, errs
}

func stem(path string) string {
	base := filepath.Base(path)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// readImage reads a file, and turns it into gray if asked to.
func readImage(path string, gray bool, o imageio.ReadOptions) (*imageio.Image, error) {
	img, err := imageio.Read(path, o)
	if err != nil {
		return nil, fileError{path, err}
	}
	if len(img.Planes) == 4 {
		return nil, fileError{path, fmt.Errorf("%w: CMYK colour", imageio.ErrUnsupported)}
	}
	if gray {
		img.Planes = [][]float32{luma(img)}
	}
	return img, nil
}

// luma is the BT.601 luma of a colour image, rounded to the image's own depth.
func luma(img *imageio.Image) []float32 {
	if len(img.Planes) == 1 {
		return img.Planes[0]
	}
	levels := float32(img.Depth.Max())
	out := make([]float32, len(img.Planes[0]))
	for i := range out {
		v := 0.299*img.Planes[0][i] + 0.587*img.Planes[1][i] + 0.114*img.Planes[2][i]
		if levels > 0 {
			v = float32(int(v*levels+0.5)) / levels
		}
		out[i] = v
	}
	return out
}

// readPair reads both images of a pair, which must have the same size. The noisy image is nil if there is no noisy
// file.
func readPair(p pair, gray bool, o imageio.ReadOptions) (clean, noisy *imageio.Image, err error) {
	if clean, err = readImage(p.clean, gray, o); err != nil || p.noisy == "" {
		return clean, nil, err
	}
	if noisy, err = readImage(p.noisy, gray, o); err != nil {
		return nil, nil, err
	}
	if noisy.Width != clean.Width || noisy.Height != clean.Height {
		return nil, nil, fileError{p.noisy, fmt.Errorf("%w: %d x %d pixels, but %s has %d x %d", errMismatch,
			noisy.Width, noisy.Height, p.clean, clean.Width, clean.Height)}
	}
	if len(noisy.Planes) != len(clean.Planes) {
		return nil, nil, fileError{p.noisy, fmt.Errorf("%w of it and %s", errOneGray, p.clean)}
	}
	return clean, noisy, nil
}

// failAll prints the errors and returns one error with their exit code.
func failAll(u *ui, errs []error) error {
	var t tally
	for _, err := range errs {
		t.fail(u, "", err)
	}
	return t.err()
}
