package main

import (
	"fmt"
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

// pseudoVersion returns date and commit of a version like 0.9.1-0.20261122072801-0123456789ab, or empty strings.
func pseudoVersion(version string) (date, commit string) {
	version, _, _ = strings.Cut(version, "+")
	parts := strings.Split(version, "-")
	if len(parts) < 3 || len(parts[len(parts)-1]) != 12 {
		return "", ""
	}
	stamp := parts[len(parts)-2]
	stamp = stamp[strings.LastIndexByte(stamp, '.')+1:]
	if len(stamp) != 14 || strings.Trim(stamp, "0123456789") != "" {
		return "", ""
	}
	date = fmt.Sprintf("%s-%s-%sT%s:%s:%sZ", stamp[:4], stamp[4:6], stamp[6:8], stamp[8:10], stamp[10:12], stamp[12:])
	return date, parts[len(parts)-1]
}

func version() string { return orUnknown(thisBuild().version) }

// versionText is the output of --version.
func versionText() string {
	b := thisBuild()
	return fmt.Sprintf("%s version %s\ncommit:  %s\ndate:    %s\nkernel:  %s\nbuilt:   %s for %s/%s\n", program,
		orUnknown(b.version),
		orUnknown(b.commit), orUnknown(b.date), solve.Kernel(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}
