package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/batch"
	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/view"
	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/disk"
)

// shown is a file of a view.
type shown struct {
	batch.Item
	name  string // that the page gave, "" for files that have a path
	loose bool   // it has no folder: the browser keeps what is saved
}

// label is what the user knows the file as.
func (s shown) label() string {
	if s.name != "" {
		return s.name
	}
	return s.Path
}

// saved is where the user finds what is saved.
func (s shown) saved() string {
	if s.loose {
		return filepath.Base(s.Out)
	}
	return s.Out
}

// file returns what the page, which holds no bytes that are not UTF-8, is told of a file.
func (s shown) file() view.File {
	return view.File{Name: valid(s.label()), Out: valid(s.saved()), Loose: s.loose}
}

// item returns a file of the list.
func (v *viewer) item(i int) shown {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.items[i]
}

// take keeps a picture that the page sends in a folder of its own, which is removed at the end.
func (v *viewer) take(name string, size int64, content io.Reader) (f view.File, err error) {
	name = plainName(name)
	dir, err := v.ownFolder()
	if err != nil {
		return f, err
	}
	path := filepath.Join(dir, name)
	if err := fill(path, size, roomIn(dir), content); err != nil {
		os.RemoveAll(dir)
		return f, err
	}
	in, err := inputAt(path)
	if err == nil {
		_, err = imageio.ReadInfo(path, v.read.ReadOptions)
	}
	var files []view.File
	if err == nil {
		files, err = v.add(shown{Item: batch.Item{Input: in}, name: name, loose: v.naming.Folder == ""})
	}
	if err != nil {
		os.RemoveAll(dir)
		err = errors.New(strings.ReplaceAll(reason(path, err), path, name))
		v.saver.u.fail(name, err)
		return f, err
	}
	return files[0], nil
}

// inputAt returns the input that a regular file is.
func inputAt(path string) (batch.Input, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = disk.ErrNotRegular
	}
	return batch.Input{Path: path, Rel: filepath.Base(path), Info: info}, err
}

// add adds files to the list. Their outputs are in the output folder, or beside them, where the browser gets those of
// what the page sent.
func (v *viewer) add(files ...shown) (told []view.File, err error) {
	naming, found := v.naming, &batch.Found{}
	naming.File = "" // was for the only one
	if naming.Folder == "" && naming.Suffix == "" {
		naming.Suffix = batch.DefaultSuffix
	}
	for _, f := range files {
		found.Inputs = append(found.Inputs, f.Input)
	}
	items, err := naming.Name(found)
	if err != nil {
		return nil, err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	for i, f := range files {
		f.Item = items[i]
		v.items = append(v.items, f)
		told = append(told, f.file())
	}
	v.added = true
	return told, nil
}

// ownFolder makes an empty folder that nobody else can read.
func (v *viewer) ownFolder() (string, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.scratch == "" {
		dir, err := os.MkdirTemp("", program+"-")
		if err != nil {
			return "", err
		}
		v.scratch = dir
	}
	v.folders++
	dir := filepath.Join(v.scratch, strconv.Itoa(v.folders))
	return dir, os.Mkdir(dir, 0o700)
}

// clean removes what the page sent.
func (v *viewer) clean() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.scratch != "" {
		os.RemoveAll(v.scratch)
	}
}

// roomIn returns how many bytes a file in a folder may have. It leaves a tenth of the room to others.
func roomIn(dir string) int64 {
	if free := freeBytes(dir); free >= 0 {
		return free / 10 * 9
	}
	return math.MaxInt64 // not known
}

// fill writes a new file of a size, or of any size within the room if it is negative.
func fill(path string, size, room int64, content io.Reader) error {
	noRoom := fmt.Errorf("there is no room for it in %s. Name it on the command line, or make TMPDIR a folder with "+
		"more room", os.TempDir())
	if size >= room {
		return noRoom
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	rest := &io.LimitedReader{R: content, N: room}
	_, err = io.Copy(f, rest)
	if err = errors.Join(err, f.Close()); errors.Is(err, syscall.ENOSPC) || err == nil && rest.N == 0 {
		return noRoom
	}
	return err
}

// choose adds what the user chooses in a window of the system. Results go beside these files.
func (v *viewer) choose(ctx context.Context) (files []view.File, refused []view.Refused, err error) {
	paths, err := chooseFiles(ctx, v.chooser)
	if err != nil || len(paths) == 0 {
		return nil, nil, err
	}
	var chosen []shown
	for _, p := range paths {
		in, err := inputAt(p)
		if err == nil {
			_, err = imageio.ReadInfo(p, v.read.ReadOptions)
		}
		if err != nil {
			v.saver.u.fail(p, err)
			refused = append(refused, view.Refused{Name: valid(filepath.Base(p)), Why: valid(reason(p, err))})
			continue
		}
		chosen = append(chosen, shown{Item: batch.Item{Input: in}})
	}
	files, err = v.add(chosen...)
	return files, refused, err
}

// result opens what was saved of a picture that the page sent.
func (v *viewer) result(i int) (string, io.ReadCloser, error) {
	s := v.item(i)
	if !s.loose {
		return "", nil, errors.New("this file was saved in its folder")
	}
	f, err := os.Open(s.Out)
	if err != nil {
		return "", nil, errors.New("it has not been saved yet")
	}
	return filepath.Base(s.Out), f, nil
}

const maxName = 120 // bytes

// plainName makes the name of a file from what a page calls it: no folders, and nothing that a system does not take.
func plainName(name string) string {
	name = strings.ToValidUTF8(name[strings.LastIndexAny(name, `/\`)+1:], "_")
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || !unicode.IsPrint(r) || strings.ContainsRune(`<>:"|?*`, r) {
			return '_'
		}
		return r
	}, name)
	name = strings.Trim(name, ". ")
	ext := filepath.Ext(name)
	if len(ext) > 12 {
		ext = ""
	}
	stem := strings.TrimSuffix(name, ext)
	for len(stem) > maxName {
		_, n := utf8.DecodeLastRuneInString(stem)
		stem = stem[:len(stem)-n]
	}
	stem = strings.TrimRight(stem, ". ")
	switch first, _, _ := strings.Cut(strings.ToUpper(stem), "."); {
	case stem == "":
		stem = "picture"
	case first == "CON" || first == "PRN" || first == "AUX" || first == "NUL",
		len(first) == 4 && (strings.HasPrefix(first, "COM") || strings.HasPrefix(first, "LPT")): // devices of Windows
		stem = "_" + stem
	}
	return stem + ext
}
