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
		Name: name, Arch: t.arch, Platform: "linux", Version: r.source.version, Release: "1", Section: "graphics",
		Priority:   "optional",
		Maintainer: maintainer, Description: description, Homepage: repository, License: "MIT", MTime: r.source.date,
		DisableGlobbing: true,
		Overridables: nfpm.Overridables{
			Contents: contents,
			Scripts:  scripts,
			RPM: nfpm.RPM{BuildHost: "localhost", Summary: strings.SplitN(description, "\n", 2)[0],
				Group: "Applications/Multimedia"},
		},
	})
	if err := nfpm.PrepareForPackager(info, format); err != nil {
		return err
	}
	return create(filepath.Join(r.out, packager.ConventionalFileName(info)),
		func(w io.Writer) error { return packager.Package(info, w) })
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

// documents is the folder of the pages of a package.
const documents = "/usr/share/doc/" + name

// place returns the path of a file of the archive in a package, or "" if packages do not have it.
func place(file, format string) string {
	switch base := path.Base(file); {
	case strings.HasPrefix(file, "man/"):
		return "/usr/share/man/man1/" + base + ".gz"
	case strings.HasSuffix(base, ".bash"):
		return "/usr/share/bash-completion/completions/" + name
	case strings.HasPrefix(file, "completions/_"):
		return zshFolder[format] + "/" + base
	case strings.HasSuffix(base, ".fish"):
		return "/usr/share/fish/vendor_completions.d/" + base
	case strings.HasPrefix(file, "completions/"): // PowerShell
		return ""
	case file == "LICENSE":
		return documents + "/copyright"
	case file == "CHANGELOG.md" && format == "deb":
		return documents + "/changelog.gz"
	case file == unit:
		return "/usr/lib/systemd/system/" + base
	case file == "contrib/filemanagers/blorc-denoise.desktop":
		return "/usr/share/applications/" + base
	case file == "contrib/filemanagers/blorc-denoise.svg":
		return "/usr/share/icons/hicolor/scalable/apps/" + base
	case strings.HasPrefix(file, "contrib/"):
		return "/usr/share/" + name + "/" + file
	case strings.HasPrefix(file, "docs/"):
		return documents + "/" + file
	default:
		return documents + "/" + base
	}
}

// packageContents says which file goes where.
func (r *release) packageContents(t target, format string) (contents files.Contents, err error) {
	add := func(source, destination string, mode os.FileMode) {
		contents = append(contents, &files.Content{Source: source, Destination: destination,
			FileInfo: &files.ContentFileInfo{Owner: "root", Group: "root", Mode: mode, MTime: r.source.date}})
	}
	add(r.programPath(t), "/usr/bin/"+name, 0o755)
	for _, f := range r.shared {
		to, from := place(f.name, format), f.path
		switch {
		case to == "":
			continue
		case f.name == unit:
			from, err = r.packagedUnit(f)
		case strings.HasSuffix(f.name, ".md"):
			from, err = r.packagedPage(f, format)
		}
		if err == nil && strings.HasSuffix(to, ".gz") {
			from, err = r.gzipped(from)
		}
		if err != nil {
			return nil, err
		}
		add(from, to, f.mode)
	}
	if format == "deb" {
		history, err := r.debianChangelog()
		if err != nil {
			return nil, err
		}
		add(history, documents+"/changelog.Debian.gz", 0o644)
	}
	contents = append(contents, &files.Content{Source: "../../" + name + "/contrib",
		Destination: documents + "/contrib", Type: files.TypeSymlink,
		FileInfo: &files.ContentFileInfo{MTime: r.source.date}}) // where the pages look for it
	add(filepath.Join(r.root, "release", "package", "sysusers.conf"), "/usr/lib/sysusers.d/"+name+".conf", 0o644)
	return contents, nil
}

// packagedUnit writes the systemd unit with the path that the program has in a package, and returns where it is.
func (r *release) packagedUnit(f file) (string, error) {
	text, err := os.ReadFile(f.path)
	if err != nil {
		return "", err
	}
	local, packaged := "=/usr/local/bin/"+name, "=/usr/bin/"+name
	if !bytes.Contains(text, []byte(local)) {
		return "", fmt.Errorf("%s does not name %s", f.name, local)
	}
	changed := filepath.Join(r.work, path.Base(f.name))
	return changed, os.WriteFile(changed, bytes.ReplaceAll(text, []byte(local), []byte(packaged)), 0o666)
}

// packagedPage writes a page with links to where a package has the files, and returns where it is.
func (r *release) packagedPage(f file, format string) (string, error) {
	text, err := os.ReadFile(f.path)
	if err != nil {
		return "", err
	}
	to := filepath.Join(r.work, format, filepath.FromSlash(f.name))
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return "", err
	}
	return to, os.WriteFile(to, []byte(inPackage(f.name, format, string(text))), 0o666)
}

// debianChangelog writes the history of the package, which Debian wants beside that of the program.
func (r *release) debianChangelog() (string, error) {
	text := fmt.Sprintf("%s (%s-1) unstable; urgency=medium\n\n  * Release %s. Its changes are in changelog.gz.\n\n "+
		"-- %s  %s\n",
		name, strings.Replace(r.source.version, "-", "~", 1), r.source.version, maintainer,
		r.source.date.Format(time.RFC1123Z))
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
