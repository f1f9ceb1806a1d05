package main

import (
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"
)

func TestRecordedBuild(t *testing.T) {
	vcs := func(revision, time string) []debug.BuildSetting {
		return []debug.BuildSetting{{Key: "GOOS", Value: "linux"}, {Key: "vcs.revision", Value: revision},
			{Key: "vcs.time", Value: time}}
	}
	for _, c := range []struct {
		name     string
		version  string
		settings []debug.BuildSetting
		want     build
	}{
		{"go install of a tag", "v0.9.0", nil, build{"0.9.0", "", ""}},
		{"go build in a clone", "v0.9.1-0.20261122072801-0123456789ab+dirty",
			vcs("0123456789abcdef", "2026-11-22T07:28:01Z"),
			build{"0.9.1-0.20261122072801-0123456789ab+dirty", "0123456789abcdef", "2026-11-22T07:28:01Z"}},
		{"go install of a commit", "v0.9.1-0.20261122072801-0123456789ab", nil,
			build{"0.9.1-0.20261122072801-0123456789ab", "0123456789ab", "2026-11-22T07:28:01Z"}},
		{"go install before any tag", "v0.0.0-20261122072801-0123456789ab", nil,
			build{"0.0.0-20261122072801-0123456789ab", "0123456789ab", "2026-11-22T07:28:01Z"}},
		{"a release candidate", "v0.9.0-rc.1", nil, build{"0.9.0-rc.1", "", ""}},
		{"an odd tag", "v0.9.0-rc.1-0123456789ab", nil, build{"0.9.0-rc.1-0123456789ab", "", ""}},
		{"without version control", "(devel)", nil, build{"(devel)", "", ""}},
	} {
		info := &debug.BuildInfo{Main: debug.Module{Version: c.version}, Settings: c.settings}
		if got := recordedBuild(info); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestReleaseBuild(t *testing.T) {
	defer func() { releaseVersion, releaseCommit, releaseDate = "", "", "" }()
	releaseVersion, releaseCommit, releaseDate = "0.9.0", "0123", "2026-11-22T07:28:01Z"
	if got, want := thisBuild(), (build{"0.9.0", "0123", "2026-11-22T07:28:01Z"}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// The flags that .ci/version prints for builds without version control set what there is to set.
func TestVersionFlags(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	if _, err := os.Stat("../../.git"); err != nil || runtime.GOOS == "windows" {
		t.Skip("this is no clone")
	}
	out, err := exec.Command("../../.ci/version").Output()
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("version.go")
	if err != nil {
		t.Fatal(err)
	}
	set := regexp.MustCompile(`-X main\.(\w+)=(\S+)`).FindAllStringSubmatch(string(out), -1)
	if len(set) != 3 {
		t.Fatalf("%s", out)
	}
	for _, s := range set {
		if !strings.Contains(string(source), "\t"+s[1]+" ") && !strings.Contains(string(source), "\t"+s[1]+"\n") {
			t.Errorf("there is no variable %s", s[1])
		}
	}
	if _, err := time.Parse(time.RFC3339, set[2][2]); err != nil {
		t.Error(err)
	}
}
