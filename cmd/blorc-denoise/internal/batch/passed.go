package batch

import (
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/disk"
)

// maxKinds bounds how many kinds of files are told apart.
const maxKinds = 1000

// Kind returns the extension that a file which is passed over is counted under, such as ".txt" or "".
func Kind(name string) string { return strings.ToLower(filepath.Ext(name)) }

// pass counts a regular file that is not taken. Hidden and unfinished files are not missed by anybody.
func (f *finder) pass(name string, mode fs.FileMode) {
	kind := Kind(name)
	if !mode.IsRegular() || disk.Hidden(name) || len(f.Passed) >= maxKinds && f.Passed[kind] == 0 {
		return
	}
	f.Passed[kind]++
}

// wanted says whether a file of this name is an input when it is found in a folder.
func wanted(name string) bool {
	_, image := imageio.InputFormatOf(name)
	return image && !disk.Hidden(filepath.Base(name))
}

// takes reports whether a file in a folder is taken by its name.
func (f *finder) takes(path string) bool {
	return wanted(path) || f.Others && !disk.Hidden(filepath.Base(path))
}

// found adds a file that was met in a folder. Pipes and the like are no files to be copied.
func (f *finder) found(in Input) {
	in.Other = !wanted(in.Path)
	if in.Other && in.Info != nil && !in.Info.Mode().IsRegular() {
		return
	}
	f.add(in)
}

// dropResults leaves out inputs found in folders that were made of another input beside them.
func (f *finder) dropResults() {
	if len(f.Suffixes) == 0 {
		return
	}
	sources := map[string]bool{}
	for _, in := range f.Inputs {
		if in.Root != "" && !in.Other {
			sources[withoutExt(in.Path)], sources[in.Path] = true, true // see Naming.tellApart
		}
	}
	left := f.Inputs[:0]
	for _, in := range f.Inputs {
		if in.Root != "" && !in.Other && f.isResult(in.Path, sources) {
			f.Results++
			continue
		}
		left = append(left, in)
	}
	f.Inputs = left
}

// isResult says whether one of the sources, without its extension, has become path.
func (f *finder) isResult(path string, sources map[string]bool) bool {
	for _, suffix := range f.Suffixes {
		if stem, ok := strings.CutSuffix(withoutExt(path), suffix); ok && suffix != "" && sources[stem] {
			return true
		}
	}
	return false
}

func withoutExt(path string) string { return strings.TrimSuffix(path, filepath.Ext(path)) }
