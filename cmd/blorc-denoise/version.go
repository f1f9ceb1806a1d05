package main

import (
	"cmp"
	"fmt"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/blorc-denoise/blorc-denoise/internal/solve"
)

// The release program sets these with -ldflags -X. They are empty in all other builds.
var (
	releaseVersion string // without the v of the tag
	releaseCommit  string
	releaseDate    string // RFC 3339
)

// build says which source the program was built from. Empty fields are unknown.
type build struct{ version, commit, date string }

// thisBuild returns what the release program has set, and otherwise what the go command has recorded.
func thisBuild() build {
	if releaseVersion != "" {
		return build{releaseVersion, releaseCommit, releaseDate}
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return build{}
	}
	return recordedBuild(info)
}

// recordedBuild reads the build information of go build and go install. A version of the form v0.0.0-DATE-COMMIT has no
// vcs settings if it came from a module proxy. Then its last two parts tell date and commit.
func recordedBuild(info *debug.BuildInfo) build {
	b := build{version: strings.TrimPrefix(info.Main.Version, "v")}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.commit = s.Value
		case "vcs.time":
			b.date = s.Value
		}
	}
	if b.commit == "" {
		b.date, b.commit = pseudoVersion(b.version)
	}
	return b
}

// pseudo is a version like 0.9.1-0.20261122072801-0123456789ab, and what go build adds to it.
var pseudo = regexp.MustCompile(`-(?:.*\.)?(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)-([^-+]{12})(?:\+.*)?$`)

// pseudoVersion returns date and commit of such a version, or empty strings.
func pseudoVersion(version string) (date, commit string) {
	m := pseudo.FindStringSubmatch(version)
	if m == nil {
		return "", ""
	}
	return fmt.Sprintf("%s-%s-%sT%s:%s:%sZ", m[1], m[2], m[3], m[4], m[5], m[6]), m[7]
}

func version() string { return orUnknown(thisBuild().version) }

// versionText is the output of --version.
func versionText() string {
	b := thisBuild()
	return fmt.Sprintf("%s version %s\ncommit:  %s\ndate:    %s\nkernel:  %s\nbuilt:   %s for %s/%s\n", program,
		orUnknown(b.version),
		orUnknown(b.commit), orUnknown(b.date), solve.Kernel(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func orUnknown(s string) string { return cmp.Or(s, "unknown") }
