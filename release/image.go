package main

import (
	"archive/tar"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// nonRoot is the user and group of the image. Other images without a shell use the same number.
const nonRoot = 65532

// makeImage writes an OCI image for all Linux targets, as a tar file of the OCI image layout.
func (r *release) makeImage() error {
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	found := false
	for _, t := range r.targets {
		if t.os != "linux" {
			continue
		}
		found = true
		img, err := r.image(t)
		if err != nil {
			return err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: img,
			Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: t.os, Architecture: t.arch}}})
	}
	if !found {
		return nil
	}
	index = mutate.Annotations(index, r.labels()).(v1.ImageIndex)
	folder := filepath.Join(r.work, "image")
	l, err := layout.Write(folder, empty.Index)
	if err != nil {
		return err
	}
	if err := l.AppendIndex(index,
		layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": r.source.version})); err != nil {
		return err
	}
	var files []file
	err = filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			relative, _ := filepath.Rel(folder, path)
			files = append(files, file{name: filepath.ToSlash(relative), path: path, mode: 0o644})
		}
		return err
	})
	if err != nil {
		return err
	}
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	return create(filepath.Join(r.out, name+"_"+r.source.version+"_oci.tar"), func(w io.Writer) error {
		return writeTar(w, "", files, r.source.date)
	})
}

// labels describe the image.
func (r *release) labels() map[string]string {
	return map[string]string{
		"org.opencontainers.image.title":       name,
		"org.opencontainers.image.description": strings.SplitN(description, "\n", 2)[0],
		"org.opencontainers.image.version":     r.source.version,
		"org.opencontainers.image.revision":    r.source.commit,
		"org.opencontainers.image.created":     r.source.date.Format(time.RFC3339),
		"org.opencontainers.image.source":      repository,
		"org.opencontainers.image.licenses":    "MIT",
	}
}

// image returns the image of one target: nothing but the program, its licences, a user, and an empty folder for data.
func (r *release) image(t target) (v1.Image, error) {
	content, err := r.imageLayer(t)
	if err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(content)), nil
	}, tarball.WithMediaType(types.OCILayer), tarball.WithCompressedCaching)
	if err != nil {
		return nil, err
	}
	img := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	created := v1.Time{Time: r.source.date}
	img, err = mutate.ConfigFile(img, &v1.ConfigFile{
		OS: t.os, Architecture: t.arch, Created: created, RootFS: v1.RootFS{Type: "layers"},
		Config: v1.Config{
			User: "65532:65532", WorkingDir: "/data", Entrypoint: []string{"/usr/bin/" + name}, Cmd: []string{"--help"},
			Env: []string{"PATH=/usr/bin", "HOME=/", "XDG_CACHE_HOME=/tmp"}, Labels: r.labels(),
		},
	})
	if err != nil {
		return nil, err
	}
	return mutate.Append(img, mutate.Addendum{Layer: layer,
		History: v1.History{Created: created, CreatedBy: "release"}})
}

// imageLayer returns the files of the image as a tar file.
func (r *release) imageLayer(t target) ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	folder := func(name string, mode int64, owner int) error {
		return w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: name + "/", Mode: mode, Uid: owner, Gid: owner,
			ModTime: r.source.date, Format: tar.FormatUSTAR})
	}
	put := func(name string, data []byte, mode int64) error {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(data)), Mode: mode, ModTime: r.source.date,
			Format: tar.FormatUSTAR}
		if err := w.WriteHeader(h); err != nil {
			return err
		}
		_, err := w.Write(data)
		return err
	}
	for _, d := range []struct {
		name  string
		mode  int64
		owner int
	}{{"data", 0o755, nonRoot}, {"etc", 0o755, 0}, {"tmp", 0o1777, 0}, {"usr", 0o755, 0}, {"usr/bin", 0o755, 0},
		{"usr/share", 0o755, 0},
		{"usr/share/doc", 0o755, 0}, {"usr/share/doc/" + name, 0o755, 0}} {
		if err := folder(d.name, d.mode, d.owner); err != nil {
			return nil, err
		}
	}
	if err := put("etc/passwd",
		[]byte("root:x:0:0:root:/:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/:/sbin/nologin\n"), 0o644); err != nil {
		return nil, err
	}
	if err := put("etc/group", []byte("root:x:0:\nnonroot:x:65532:\n"), 0o644); err != nil {
		return nil, err
	}
	for _, f := range append([]file{{name: "usr/bin/" + name, path: r.programPath(t), mode: 0o755}}, r.shared...) {
		switch f.name {
		case "LICENSE", "THIRD_PARTY_LICENSES.txt":
			f.name = "usr/share/doc/" + name + "/" + f.name
		case "usr/bin/" + name:
		default:
			continue
		}
		data, err := os.ReadFile(f.path)
		if err != nil {
			return nil, err
		}
		if err := put(f.name, data, int64(f.mode)); err != nil {
			return nil, err
		}
	}
	err := w.Close() // writes the end of the archive, so it comes before Bytes
	return b.Bytes(), err
}
