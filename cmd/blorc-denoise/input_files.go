package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/batch"
	"github.com/blorc-denoise/blorc-denoise/internal/disk"
)

// noPipe refuses -, which is no name of a file in any command.
func noPipe(command string, words []string) error {
	if slices.Contains(words, "-") {
		return usage("%s takes files, not -", command)
	}
	return nil
}

// inputFiles returns the files that an argument of the program means: a file, a folder, a pattern or a list. With deep
// it looks into subfolders.
func inputFiles(ctx context.Context, word string, deep bool) ([]string, error) {
	found, err := batch.Find(ctx, []string{word}, batch.FindOptions{Recursive: deep, Stdin: os.Stdin})
	switch {
	case err != nil:
		return nil, err
	case len(found.Refused) > 0:
		return nil, fileError{found.Refused[0].Path, found.Refused[0].Err}
	case len(found.Inputs) == 0:
		return nil, fileError{word, noImages(found.Folders)}
	}
	var files []string
	for _, in := range found.Inputs {
		files = append(files, filepath.Clean(in.Path))
	}
	return files, nil
}

// inputs returns the files that words mean. It prints and counts those that mean none.
func (t *tally) inputs(ctx context.Context, u *ui, words []string, deep bool) (files []string) {
	for _, word := range words {
		found, err := inputFiles(ctx, word, deep)
		if err != nil {
			t.fail(u, "", err)
		}
		files = append(files, found...)
	}
	return files
}

// noImages is the error for a folder without images, and with so many subfolders that were not looked into.
func noImages(subfolders int) error {
	if subfolders > 0 {
		return fmt.Errorf("%w, but with %s (see --recursive)", errNoImages, countOf(int64(subfolders), "subfolder"))
	}
	return errNoImages
}

// pairsBelow calls pairs for two folders, and with deep for each of their subfolders that has images in the first. An
// empty name of the second stays empty.
func pairsBelow(clean, noisy string, deep bool, pairs func(clean, noisy string) ([]pair, []error)) (all []pair,
	errs []error) {
	if info, err := os.Stat(clean); err != nil || !info.IsDir() {
		return pairs(clean, noisy)
	}
	if !deep {
		all, errs = pairs(clean, noisy)
		return all, hintAtSubfolders(clean, errs)
	}
	folders, err := foldersWithImages(clean)
	if err != nil {
		return nil, []error{fileError{clean, err}}
	}
	if len(folders) == 0 {
		return pairs(clean, noisy)
	}
	if noisy != "" {
		others, _ := foldersWithImages(noisy) // a folder that is not there is told of below
		for _, rel := range others {
			if !slices.Contains(folders, rel) {
				errs = append(errs, fileError{filepath.Join(noisy, rel),
					fmt.Errorf("%w: no folder of clean images of this name", errMismatch)})
			}
		}
	}
	for _, rel := range folders {
		other := noisy
		if noisy != "" {
			other = filepath.Join(noisy, rel)
		}
		p, e := pairs(filepath.Join(clean, rel), other)
		all, errs = append(all, p...), append(errs, e...)
	}
	return all, errs
}

// hintAtSubfolders adds to the error of a folder without images that its subfolders have some.
func hintAtSubfolders(folder string, errs []error) []error {
	if len(errs) != 1 || !errors.Is(errs[0], errNoImages) {
		return errs
	}
	if sub, err := foldersWithImages(folder); err != nil || len(sub) == 0 || slices.Contains(sub, ".") {
		return errs
	}
	return []error{fmt.Errorf("%w, but its subfolders have some (see --recursive)", errs[0])}
}

// foldersWithImages returns the folders below a folder, itself too, that have images in them, in order.
func foldersWithImages(root string) ([]string, error) {
	var folders []string
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && path != root && disk.Hidden(e.Name()):
			return filepath.SkipDir
		case e.IsDir() || !isImageName(e.Name()) || disk.Hidden(e.Name()):
			return nil
		}
		rel, err := filepath.Rel(root, filepath.Dir(path))
		if err == nil && !slices.Contains(folders, rel) {
			folders = append(folders, rel)
		}
		return err
	})
	slices.Sort(folders)
	return folders, err
}

// shortName returns the name of a file below a folder, with slashes, or of the file itself.
func shortName(folder, path string) string {
	if rel, err := filepath.Rel(folder, path); err == nil && rel != "." && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return filepath.Base(path)
}
