//go:build hosts

package test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// gimp3Home is a folder that GIMP 3 works in. GIMP 3 may be installed in a system of its own below GIMP3_ROOT. That
// system sees no files of this one.
type gimp3Home struct {
	root string // empty if GIMP 3 is installed here
	dir  string // as this system names it
}

// newGIMP3 installs the program and the plug-in for a new user of GIMP 3.
func newGIMP3(t *testing.T, pictures ...string) gimp3Home {
	t.Helper()
	root := os.Getenv("GIMP3_ROOT")
	must.Do(t, os.MkdirAll(root+"/tmp", 0o777))
	dir := must.Get(os.MkdirTemp(root+"/tmp", "hosts-"))(t)
	t.Cleanup(func() { os.RemoveAll(dir) })
	must.Do(t, os.CopyFS(dir, os.DirFS(draw(t, pictures...))))
	must.Do(t, os.CopyFS(dir+"/bin", os.DirFS(filepath.Dir(program))))
	must.Do(t, os.CopyFS(dir+"/gimp/plug-ins/blorc-denoise", os.DirFS(contrib+"/gimp-3/blorc-denoise")))
	must.Do(t, os.Mkdir(dir+"/tmp", 0o777))
	return gimp3Home{root, dir}
}

// run gives a script to GIMP 3 and returns what GIMP wrote.
func (g gimp3Home) run(t *testing.T, script string, gimp ...string) string {
	t.Helper()
	text := must.Get(os.ReadFile(testdata(t, script)))(t)
	write(t, filepath.Join(g.dir, script), string(text))
	place := strings.TrimPrefix(g.dir, g.root)
	var args []string
	if g.root != "" {
		args = []string{"chroot", g.root}
	}
	args = append(args, "env", "-C", place, "HOME="+place, "GIMP3_DIRECTORY="+place+"/gimp", "TMPDIR="+place+"/tmp",
		"XDG_CACHE_HOME="+place+"/.cache",
		"XDG_CONFIG_HOME="+place+"/.config", "LC_ALL=C.UTF-8", "PATH="+place+"/bin:/usr/bin:/bin", "timeout", "220")
	args = append(args, gimp...)
	args = append(args, "-n", "-f", "--batch-interpreter=python-fu-eval", "-b",
		fmt.Sprintf("exec(open('%s/%s').read())", place, script), "--quit")
	out, _ := tryHost(g.dir, nil, args[0], args[1:]...) // what it leaves tells how it went
	return out
}

// gimp3Job is a job of testdata/gimp3.py.
type gimp3Job struct {
	In        string         `json:"in"`
	Profile   bool           `json:"profile,omitempty"`
	Precision string         `json:"precision,omitempty"`
	Crop      []int          `json:"crop,omitempty"` // width, height, x, y
	Offset    []int          `json:"offset,omitempty"`
	Select    []int          `json:"select,omitempty"`
	Two       bool           `json:"two,omitempty"`
	Locked    bool           `json:"locked,omitempty"`
	Indexed   bool           `json:"indexed,omitempty"`
	Group     bool           `json:"group,omitempty"`
	Inside    bool           `json:"inside,omitempty"` // of the group
	Mask      bool           `json:"mask,omitempty"`
	Settings  map[string]any `json:"settings"`
	flags     string
	tolerance float64
	failed    string
}

func TestGIMP3(t *testing.T) {
	t.Parallel()
	g := newGIMP3(t, "rgb8.png", "rgb16.png", "rgba16.png", "gray8.png", "gray16.png", "float.tif", "rgbf.tif",
		"rgbhole.tif")
	fast := map[string]any{"noise": "white", "sigma": 20.0, "quality": "fast"}
	const flags = "--sigma=20 --quality=fast"
	jobs := []gimp3Job{
		{In: "rgb8.png", Settings: fast, flags: flags},
		{In: "rgb16.png", Settings: map[string]any{"strength": 80.0, "chroma": 50.0},
			flags: "--strength=0.8 --chroma=0.5"},
		{In: "rgba16.png", Settings: fast, flags: flags},
		{In: "gray8.png", Settings: fast, flags: flags},
		{In: "gray16.png", Settings: map[string]any{"noise": "photons", "gain": 90.0, "offset": 10.0,
			"read-noise": 300.0, "quality": "fast"},
			flags: "--noise=poisson --gain=90 --offset=10 --read-noise=300 --quality=fast"},
		{In: "float.tif", Settings: fast, flags: flags},
		{In: "rgbf.tif", Settings: map[string]any{"noise": "camera", "quality": "fast"},
			flags: "--noise=camera --quality=fast"},
		{In: "rgbhole.tif", Settings: fast, flags: flags + " --on-invalid=keep"},
		{In: "rgb16.png", Profile: true, Settings: fast, flags: flags},
		{In: "rgb8.png", Crop: []int{100, 80, 10, 12}, Settings: fast, flags: flags},
		{In: "rgb8.png", Offset: []int{-20, 30}, Settings: fast, flags: flags},
		{In: "rgb8.png", Offset: []int{-20, 30}, Select: []int{10, 50, 60, 50}, Settings: fast, flags: flags},
		{In: "rgba16.png", Select: []int{30, 20, 60, 50}, Settings: fast, flags: flags},
		{In: "rgb16.png", Two: true, Settings: fast, flags: flags},
		// Linear levels pass as floats. Only the rounding of GIMP is between them and the file.
		{In: "rgb16.png", Precision: "U16_LINEAR", Settings: fast, flags: flags, tolerance: ofIntegers},
		{In: "gray8.png", Mask: true, Settings: map[string]any{"noise": "white", "sigma": 20.0, "strength": 0.0}},
		{In: "rgb8.png", Select: []int{0, 0, 5, 5}, Offset: []int{20, 20}, Settings: fast},
		{In: "rgb8.png", Indexed: true, Settings: fast, failed: "Background has indexed colours"},
		{In: "rgb8.png", Group: true, Settings: fast, failed: "is a group"},
		{In: "rgb8.png", Group: true, Inside: true, Settings: fast, flags: flags},
		{In: "rgb8.png", Group: true, Inside: true, Locked: true, Settings: fast, failed: "of Layer Group are locked"},
		{In: "rgb8.png", Two: true, Locked: true, Settings: fast, failed: "of Background copy are locked"},
		{In: "rgb8.png", Settings: map[string]any{"program": "/nowhere/blorc"}, failed: "/nowhere/blorc: No such file"},
		{In: "rgb8.png", Settings: map[string]any{"program": "/bin/true"},
			failed: "/bin/true has not written a picture"},
		{In: "rgb8.png", Settings: map[string]any{"program": "/bin/cat"}, failed: "invalid option"},
	}
	write(t, g.dir+"/jobs.json", string(must.Get(json.Marshal(jobs))(t)))
	out := g.run(t, "gimp3.py", "gimp-console-3.0", "-i")
	text, err := os.ReadFile(g.dir + "/answers.json")
	if err != nil {
		t.Fatal(err, tail(out))
	}
	var answers []struct {
		Failed string
		Same   bool
	}
	must.Do(t, json.Unmarshal(text, &answers))
	if len(answers) != len(jobs) {
		t.Fatalf("%d answers to %d jobs: %s", len(answers), len(jobs), text)
	}
	for i, j := range jobs {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			a := answers[i]
			if j.failed == "" && a.Failed != "" || !strings.Contains(a.Failed, j.failed) {
				t.Fatalf("the message is %q, not %q", a.Failed, j.failed)
			}
			if a.Same != (j.flags == "") {
				t.Errorf("the samples are the same: %v", a.Same)
			}
			if j.flags != "" {
				g.compare(t, i, j)
			}
		})
	}
}

// compare checks that the layers of a job have the samples that the program itself gives.
func (g gimp3Home) compare(t *testing.T, number int, j gimp3Job) {
	t.Helper()
	layers := 1
	if j.Two {
		layers = 2
	}
	for i := range layers {
		name := fmt.Sprintf("-%d-%d%s", number, i, filepath.Ext(j.In))
		before, after := g.dir+"/before"+name, g.dir+"/after"+name
		if j.Crop == nil && j.Precision == "" {
			same(t, before, filepath.Join(g.dir, j.In), 0)
		}
		want := direct(t, g.dir, before, "want"+name, strings.Fields(j.flags)...)
		if s := j.Select; s != nil {
			if j.Offset != nil {
				s = []int{s[0] - j.Offset[0], s[1] - j.Offset[1], s[2], s[3]}
			}
			samePart(t, after, before, want, s[0], s[1], s[2], s[3])
		} else {
			same(t, after, want, j.tolerance)
		}
	}
}

// The dialog, its preview, undo, and the end of a run that is cancelled need the window.
func TestGIMP3Dialog(t *testing.T) {
	t.Parallel()
	g := newGIMP3(t, "rgb8.png")
	slow := `#!/bin/sh
case "$*" in *--crop*) echo $$ >>slow-previews; exec sleep 1000;; esac
trap 'touch slow-ended; exit 1' TERM
echo '{"done":0.5}' >&2
touch slow-started
while :; do sleep 0.1; done
`
	must.Do(t, os.WriteFile(g.dir+"/slow", []byte(slow), 0o777))
	out := g.run(t, "gimp3_dialog.py", "xvfb-run", "-a", "-s", "-screen 0 1280x900x24", "gimp-3.0")
	if _, err := os.Stat(g.dir + "/dialog-done"); err != nil {
		t.Fatal(err, tail(out))
	}
	if strings.Contains(out, "Traceback") {
		t.Error(tail(out))
	}
	same(t, g.dir+"/dialog.png", direct(t, g.dir, "rgb8.png", "want.png", "--sigma=20"), 0)
}
