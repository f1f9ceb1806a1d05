package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// source says what is released.
type source struct {
	version string // without the v of the tag
	commit  string
	date    time.Time // of the commit, or SOURCE_DATE_EPOCH; all files of the release have it
	files   []string  // all files of the source, relative, with slashes
}

var validVersion = regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9A-Za-z.]+)?$`)

// readSource asks git. A source without git needs SOURCE_DATE_EPOCH and a version.
func readSource(root, version string) (s source, err error) {
	git := func(args ...string) string {
		out, gitErr := exec.Command("git", append([]string{"-C", root}, args...)...).Output()
		if gitErr != nil {
			return ""
		}
		return strings.TrimSpace(string(out))
	}
	s.version = version
	if s.version == "" {
		s.version = strings.TrimPrefix(git("describe", "--tags", "--exact-match", "--match", "v*"), "v")
	}
	if s.version == "" {
		s.version = "0.0.0"
	}
	if !validVersion.MatchString(s.version) {
		return s, fmt.Errorf("version %q is not of the form 1.2.3 or 1.2.3-rc.1", s.version)
	}
	s.commit = git("rev-parse", "HEAD")
	if s.commit != "" && git("status", "--porcelain", "--untracked-files=no") != "" {
		s.commit += "+dirty"
	}
	epoch := os.Getenv("SOURCE_DATE_EPOCH")
	if epoch == "" {
		epoch = git("log", "-1", "--format=%ct")
	}
	seconds, err := strconv.ParseInt(epoch, 10, 64)
	if err != nil {
		return s, fmt.Errorf("no date: this is no git repository, and SOURCE_DATE_EPOCH is %q", epoch)
	}
	s.date = time.Unix(seconds, 0).UTC()
	s.files = strings.Split(git("ls-files", "-z"), "\x00")
	if len(s.files) < 2 {
		s.files, err = walk(root)
	}
	slices.Sort(s.files)
	return s, err
}

// walk lists the files of a source that has no git repository.
func walk(root string) (files []string, err error) {
	err = filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		relative, err := filepath.Rel(root, path)
		files = append(files, filepath.ToSlash(relative))
		return err
	})
	return files, err
}
