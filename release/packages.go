package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/apk"
	_ "github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm"
)

const (
	description = `removes noise from image files
Removes noise from photographs, scans and microscope images: PNG, TIFF, JPEG
and others, 8 and 16 bits and float. It finds the kind and the strength of
the noise itself. It can also watch a folder.`
	maintainer = "The blorc-denoise authors <blorc-denoise@users.noreply.github.com>"
	unit       = "contrib/systemd/blorc-denoise-watch.service"
)

// zshFolder is where a distribution looks for completions of zsh.
var zshFolder = map[string]string{
	"deb": "/usr/share/zsh/vendor-completions",
	"rpm": "/usr/share/zsh/site-functions",
	"apk": "/usr/share/zsh/site-functions",
}

// makePackages writes a deb, an rpm and an apk for each Linux target.
func (r *release) makePackages() error {
	for _, t := range r.targets {
		if t.os != "linux" {
			continue
		}
		for _, format := range []string{"deb", "rpm", "apk"} {
			if err := r.makePackage(t, format); err != nil {
				return fmt.Errorf("%s for %v: %w", format, t, err)
			}
		}
	}
	return nil
}

func (r *release) makePackage(t target, format string) error {
	contents, err := r.packageContents(t, format)
	if err != nil {
		return err
	}
	scripts, err := r.packageScripts()
	if err != nil {
		return err
	}
	packager, err := nfpm.Get(format)
	if err != nil {
		return err
	}
	info := nfpm.WithDefaults(&nfpm.Info{
		Name: name, Arch: t.arch, Platform: "linux", Version: r.source.version, Release: "1", Section: "graphics", Priority: "optional",
		Maintainer: maintainer, Description: description, Homepage: repository, License: "MIT", MTime: r.source.date, DisableGlobbing: true,
		Overridables: nfpm.Overridables{
			Contents: contents,
			Scripts:  scripts,
			RPM:      nfpm.RPM{BuildHost: "localhost", Summary: strings.SplitN(description, "\n", 2)[0], Group: "Applications/Multimedia"},
		},
	})
	if err := nfpm.PrepareForPackager(info, format); err != nil {
		return err
	}
	return create(filepath.Join(r.out, packager.ConventionalFileName(info)), func(w io.Writer) error { return packager.Package(info, w) })
}

// packageScripts copies the scripts and gives them the date of the release, because packages keep it.
func (r *release) packageScripts() (nfpm.Scripts, error) {
	var paths []string
	for _, name := range []string{"postinstall", "preremove", "postremove"} {
		text, err := os.ReadFile(filepath.Join(r.root, "release", "package", name))
		if err != nil {
			return nfpm.Scripts{}, err
		}
		path := filepath.Join(r.work, name)
		if err := os.WriteFile(path, text, 0o666); err != nil {
			return nfpm.Scripts{}, err
		}
		if err := os.Chtimes(path, r.source.date, r.source.date); err != nil {
			return nfpm.Scripts{}, err
		}
		paths = append(paths, path)
	}
	return nfpm.Scripts{PostInstall: paths[0], PreRemove: paths[1], PostRemove: paths[2]}, nil
}

// packageContents says which file goes where.
func (r *release) packageContents(t target, format string) (contents files.Contents, err error) {
	add := func(source, destination string, mode os.FileMode) {
		contents = append(contents, &files.Content{Source: source, Destination: destination,
			FileInfo: &files.ContentFileInfo{Owner: "root", Group: "root", Mode: mode, MTime: r.source.date}})
	}
	documents := "/usr/share/doc/" + name
	add(r.programPath(t), "/usr/bin/"+name, 0o755)
	for _, f := range r.shared {
		switch base := path.Base(f.name); {
		case strings.HasPrefix(f.name, "man/"):
			packed, err := r.gzipped(f.path)
			if err != nil {
				return nil, err
			}
			add(packed, "/usr/share/man/man1/"+base+".gz", f.mode)
		case strings.HasSuffix(base, ".bash"):
			add(f.path, "/usr/share/bash-completion/completions/"+name, f.mode)
		case strings.HasPrefix(f.name, "completions/_"):
			add(f.path, zshFolder[format]+"/"+base, f.mode)
		case strings.HasSuffix(base, ".fish"):
			add(f.path, "/usr/share/fish/vendor_completions.d/"+base, f.mode)
		case f.name == "LICENSE":
			add(f.path, documents+"/copyright", f.mode)
		case f.name == "CHANGELOG.md" && format == "deb":
			packed, err := r.gzipped(f.path)
			if err != nil {
				return nil, err
			}
			add(packed, documents+"/changelog.gz", f.mode)
		case f.name == unit:
			if err := r.addUnit(f, add); err != nil {
				return nil, err
			}
		case f.name == "contrib/filemanagers/blorc-denoise.desktop":
			add(f.path, "/usr/share/applications/"+base, f.mode)
		case strings.HasPrefix(f.name, "contrib/"):
			add(f.path, "/usr/share/"+name+"/"+f.name, f.mode)
		case strings.HasPrefix(f.name, "completions/"): // PowerShell
		default:
			add(f.path, documents+"/"+base, f.mode)
		}
	}
	if format == "deb" {
		history, err := r.debianChangelog()
		if err != nil {
			return nil, err
		}
		add(history, documents+"/changelog.Debian.gz", 0o644)
	}
	add(filepath.Join(r.root, "release", "package", "sysusers.conf"), "/usr/lib/sysusers.d/"+name+".conf", 0o644)
	return contents, nil
}

// addUnit adds the systemd unit, with the path that the program has in a package.
func (r *release) addUnit(f file, add func(source, destination string, mode os.FileMode)) error {
	text, err := os.ReadFile(f.path)
	if err != nil {
		return err
	}
	local, packaged := "=/usr/local/bin/"+name, "=/usr/bin/"+name
	if !bytes.Contains(text, []byte(local)) {
		return fmt.Errorf("%s does not name %s", f.name, local)
	}
	changed := filepath.Join(r.work, path.Base(f.name))
	add(changed, "/usr/lib/systemd/system/"+path.Base(f.name), f.mode)
	return os.WriteFile(changed, bytes.ReplaceAll(text, []byte(local), []byte(packaged)), 0o666)
}

// debianChangelog writes the history of the package, which Debian wants beside that of the program.
func (r *release) debianChangelog() (string, error) {
	text := fmt.Sprintf("%s (%s-1) unstable; urgency=medium\n\n  * Release %s. Its changes are in changelog.gz.\n\n -- %s  %s\n",
		name, strings.Replace(r.source.version, "-", "~", 1), r.source.version, maintainer, r.source.date.Format(time.RFC1123Z))
	path := filepath.Join(r.work, "changelog.Debian")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		return "", err
	}
	return r.gzipped(path)
}

// gzipped packs a file as gzip -n -9 does and returns where it is.
func (r *release) gzipped(source string) (string, error) {
	data, err := os.ReadFile(source)
	if err != nil {
		return "", err
	}
	packed := filepath.Join(r.work, filepath.Base(source)+".gz")
	return packed, create(packed, func(w io.Writer) error {
		z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
		if err != nil {
			return err
		}
		if _, err := z.Write(data); err != nil {
			return err
		}
		return z.Close()
	})
}
