package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A file is put into archives and packages.
type file struct {
	name string // with slashes, relative to the top of the archive
	path string // where its content is
	mode os.FileMode
}

// makeArchives writes a zip file for Windows and compressed tar files for the other systems.
func (r *release) makeArchives() error {
	for _, t := range r.targets {
		files := append([]file{{name: t.program(), path: r.programPath(t), mode: 0o755}}, r.shared...)
		slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })
		write, suffix := writeTarGzip, ".tar.gz"
		if t.os == "windows" {
			write, suffix = writeZip, ".zip"
		}
		archive := r.artefact(t, suffix)
		top := strings.TrimSuffix(filepath.Base(archive), suffix)
		if err := create(archive, func(w io.Writer) error { return write(w, top, files, r.source.date) }); err != nil {
			return err
		}
	}
	return nil
}

// create writes a file.
func create(path string, write func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

func writeTarGzip(w io.Writer, top string, files []file, date time.Time) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression) // the header has neither name nor time
	if err != nil {
		return err
	}
	return errors.Join(writeTar(z, top, files, date), z.Close())
}

// writeTar writes files of user and group 0 with one date.
func writeTar(w io.Writer, top string, files []file, date time.Time) error {
	t := tar.NewWriter(w)
	for _, f := range files {
		data, err := os.ReadFile(f.path)
		if err != nil {
			return err
		}
		h := &tar.Header{Typeflag: tar.TypeReg, Name: path.Join(top, f.name), Mode: int64(f.mode),
			Size: int64(len(data)), ModTime: date, Format: tar.FormatUSTAR}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if _, err := t.Write(data); err != nil {
			return err
		}
	}
	return t.Close()
}

func writeZip(w io.Writer, top string, files []file, date time.Time) error {
	z := zip.NewWriter(w)
	for _, f := range files {
		data, err := os.ReadFile(f.path)
		if err != nil {
			return err
		}
		h := &zip.FileHeader{Name: path.Join(top, f.name), Method: zip.Deflate, Modified: date}
		h.SetMode(f.mode)
		entry, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := entry.Write(data); err != nil {
			return err
		}
	}
	return z.Close()
}

const sumsName = "SHA256SUMS"

// makeSums writes the checksums of all files of the release, as sha256sum does.
func (r *release) makeSums() error {
	entries, err := os.ReadDir(r.out)
	if err != nil {
		return err
	}
	var text strings.Builder
	for _, e := range entries {
		sum, err := sha256File(filepath.Join(r.out, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "%s  %s\n", sum, e.Name())
	}
	return os.WriteFile(filepath.Join(r.out, sumsName), []byte(text.String()), 0o666)
}

func sha256File(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", h.Sum(nil)), nil
}
