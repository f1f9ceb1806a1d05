package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// goesAlong reports whether a file of the source goes into archives and packages.
func goesAlong(name string) bool {
	switch name {
	case "LICENSE", "README.md", "CHANGELOG.md", "SECURITY.md":
		return true
	}
	return strings.HasPrefix(name, "docs/") || strings.HasPrefix(name, "contrib/") &&
		!strings.HasPrefix(name, "contrib/test/")
}

// relativeLink is a link of Markdown without a scheme: an exclamation mark if it is a picture, its text, its path, its
// fragment.
var relativeLink = regexp.MustCompile(`(!?)(\[[^\]]*\])\(([^()#: ]+)(#[^)]*)?\)`)

// outward returns a page whose links lead to the repository where they would lead to files that do not go along.
func (r *release) outward(name, text string) string { return r.turned(name, text, goesAlong) }

// allOutward returns a page that stands alone.
func (r *release) allOutward(name, text string) string {
	return r.turned(name, text, func(string) bool { return false })
}

// turned returns a page whose links lead to the repository unless their files stay beside it.
func (r *release) turned(name, text string, stays func(string) bool) string {
	return relativeLink.ReplaceAllStringFunc(text, func(link string) string {
		m := relativeLink.FindStringSubmatch(link)
		to := path.Join(path.Dir(name), m[3])
		if stays(to) {
			return link
		}
		kind := "blob"
		if m[1] != "" {
			kind = "raw"
		}
		return fmt.Sprintf("%s%s(%s/%s/v%s/%s%s)", m[1], m[2], repository, kind, r.source.version, to, m[4])
	})
}

// inPackage returns a page whose links have the full path of files that a package has at other places than the archive.
func inPackage(name, format, text string) string {
	return relativeLink.ReplaceAllStringFunc(text, func(link string) string {
		m := relativeLink.FindStringSubmatch(link)
		to := path.Join(path.Dir(name), m[3])
		if strings.HasSuffix(place(to, format), "/"+to) {
			return link
		}
		return fmt.Sprintf("%s%s(%s%s)", m[1], m[2], place(to, format), m[4])
	})
}

// page writes a page with its links turned outward into the work folder, and returns where it is.
func (r *release) page(name string) (string, error) {
	text, err := os.ReadFile(filepath.Join(r.root, filepath.FromSlash(name)))
	if err != nil {
		return "", err
	}
	to := filepath.Join(r.work, "pages", filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return "", err
	}
	return to, os.WriteFile(to, []byte(r.outward(name, string(text))), 0o666)
}
