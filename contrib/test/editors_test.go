//go:build hosts

package test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

func TestGMIC(t *testing.T) {
	t.Parallel()
	dir, filter := draw(t, "rgb8.png", "rgba16.png"), contrib+"/gmic/blorc-denoise.gmic"
	_, env := home(t)
	temp, spaced := t.TempDir()+"/with a space", dir+"/a 'spaced program"
	must.Do(t, os.Mkdir(temp, 0o777))
	env = append(env, "TMPDIR="+temp)
	host(t, dir, env, "gmic", filter, "rgb8.png", "blorc_denoise", "1,20,1,1,1,1", "round", "output", "a.png")
	same(t, dir+"/a.png", direct(t, dir, "rgb8.png", "want-a.png", "--sigma=20"), 1)
	// Dividing by 257 rounds. That may change which patches are similar, but fast quality does not look for them.
	host(t, dir, env, "gmic", filter, "rgba16.png", "div", "257", "fx_blorc_denoise", "0,20,80,100,50,0,blorc-denoise",
		"mul", "257", "round", "output", "b.png")
	same(t, dir+"/b.png", direct(t, dir, "rgba16.png", "want-b.png", "--strength=0.8", "--chroma=0.5",
		"--quality=fast"), ofIntegers)
	out, err := tryHost(dir, env, "gmic", filter, "rgb8.png", "blorc_denoise", "1,-3", "output", "c.png")
	if err == nil {
		t.Error("gmic did not fail")
	}
	contains(t, out, "must be a number of gray levels")
	// A program with a space in its path, as G'MIC-Qt gives it.
	must.Do(t, os.Symlink(program, spaced))
	write(t, dir+"/calls.gmic",
		"call : fx_blorc_denoise 1,20,100,100,100,1,\""+spaced+"\"\nmissing : blorc_denoise "+
			"1,20,1,1,1,1,\""+spaced+"s\"\n")
	host(t, dir, env, "gmic", filter, "calls.gmic", "rgb8.png", "call", "round", "output", "d.png")
	same(t, dir+"/d.png", dir+"/want-a.png", 1)
	out, err = tryHost(dir, env, "gmic", filter, "calls.gmic", "rgb8.png", "missing", "output", "e.png")
	if err == nil {
		t.Error("a missing program is no error")
	}
	contains(t, out, "spaced programs: not found")
	left := must.Get(os.ReadDir(temp))(t)
	for _, e := range left {
		t.Errorf("%s was left", e.Name())
	}
}

// GIMP 2.10 with the plug-in in C and the filter of G'MIC.
func TestGIMP2(t *testing.T) {
	t.Parallel()
	dir := draw(t, "rgb8.png", "rgb16.png", "rgba16.png", "gray8.png", "rgbf.tif", "rgbhole.tif")
	user, env := home(t)
	env = append(env, "CC=gcc", "TMPDIR="+user)
	host(t, dir, env, "gimp-console", "-i", "-b", "(gimp-quit 0)") // makes its folders
	host(t, contrib+"/gimp-2.10", env, "gimptool-2.0", "--install", "blorc-denoise.c")
	filter := must.Get(os.ReadFile(contrib + "/gmic/blorc-denoise.gmic"))(t)
	write(t, user+"/.gmic", string(filter))
	write(t, user+"/.config/gmic/user.gmic", string(filter))
	var calls strings.Builder
	call := func(in, out string, x, y, w, h, kind int) {
		fmt.Fprintf(&calls, ` (blorc "%s/%s" "%s/%s" %d %d %d %d %d 20)`, dir, in, dir, out, x, y, w, h, kind)
	}
	call("rgb8.png", "a.png", 0, 0, 0, 0, 1)
	call("rgb16.png", "b.png", 0, 0, 0, 0, 0)
	call("rgba16.png", "c.png", 0, 0, 0, 0, 1)
	call("gray8.png", "d.png", 0, 0, 0, 0, 3)
	call("rgbf.tif", "e.tif", 0, 0, 0, 0, 1)
	call("rgb16.png", "f.png", 30, 20, 60, 50, 1)
	call("rgbhole.tif", "h.tif", 0, 0, 0, 0, 1)
	fmt.Fprintf(&calls, ` (blorc-gmic "%s/rgb8.png" "%s/g.png")`, dir, dir)
	batch := fmt.Sprintf(`(begin (load "%s") %s)`, testdata(t, "gimp.scm"), calls.String())
	host(t, dir, env, "gimp-console", "-i", "-f", "-b", batch, "-b", "(gimp-quit 0)")
	white := []string{"--sigma=20", "--quality=fast"}
	same(t, dir+"/a.png", direct(t, dir, "rgb8.png", "want-a.png", white...), 0)
	same(t, dir+"/b.png", direct(t, dir, "rgb16.png", "want-b.png", "--quality=fast"), 0)
	same(t, dir+"/c.png", direct(t, dir, "rgba16.png", "want-c.png", white...), 0)
	same(t, dir+"/d.png", direct(t, dir, "gray8.png", "want-d.png", "--noise=poisson", "--quality=fast"), 0)
	same(t, dir+"/e.tif", direct(t, dir, "rgbf.tif", "want-e.tif", white...), 1e-5)
	samePart(t, dir+"/f.png", dir+"/rgb16.png", direct(t, dir, "rgb16.png", "want-f.png", white...), 30, 20, 60, 50)
	same(t, dir+"/g.png", dir+"/want-a.png", 1)
	same(t, dir+"/h.tif", direct(t, dir, "rgbhole.tif", "want-h.tif", append(white, "--on-invalid=keep")...), 1e-5)
	noFilesLeft(t, user)

	batch = fmt.Sprintf(`(begin (load "%s") (blorc "%s/rgb8.png" "%s/no.png" 0 0 0 0 1 20))`, testdata(t, "gimp.scm"),
		dir, dir)
	out, _ := tryHost(dir, append(env, "BLORC_DENOISE=/nowhere/blorc"), "gimp-console", "-i", "-f", "-b", batch, "-b",
		"(gimp-quit 0)")
	contains(t, out, "The program /nowhere/blorc is not there. Install blorc-denoise, or give its path in the dialog.")

	// GIMP kills a plug-in that is cancelled. Nothing has a name then that could stay, not even while the program runs.
	write(t, dir+"/killer", "#!/bin/sh\ncat >/dev/null\nfind '"+user+"' -name '*.tif' >found\nkill -KILL $PPID\n")
	must.Do(t, os.Chmod(dir+"/killer", 0o777))
	tryHost(dir, append(env, "BLORC_DENOISE="+dir+"/killer"), "gimp-console", "-i", "-f", "-b", batch, "-b",
		"(gimp-quit 0)")
	found := must.Get(os.ReadFile(dir + "/found"))(t)
	if len(found) > 0 {
		t.Errorf("there is %s", found)
	}
}

// kritaJob is a job of testdata/krita_jobs.py.
type kritaJob struct {
	In       string         `json:"in"`
	Out      string         `json:"out"`
	Depth    string         `json:"depth,omitempty"`
	Select   []int          `json:"select,omitempty"`
	Settings map[string]any `json:"settings"`
	flags    []string
}

func TestKrita(t *testing.T) {
	t.Parallel()
	dir := draw(t, "rgb8.png", "rgb16.png", "rgba16.png", "gray8.png")
	user, env := home(t)
	place := user + "/.local/share/krita/pykrita"
	must.Do(t, os.CopyFS(place+"/blorc_denoise", os.DirFS(contrib+"/krita/blorc_denoise")))
	jobs := must.Get(os.ReadFile(testdata(t, "krita_jobs.py")))(t)
	write(t, place+"/krita_jobs.py", string(jobs))
	white := map[string]any{"noise": "white", "sigma": 20.0}
	replace := map[string]any{"noise": "white", "sigma": 20.0, "result": "replace"}
	flags := []string{"--sigma=20", "--quality=fast"}
	list := []kritaJob{
		{In: "rgb8.png", Out: "a", Settings: white, flags: flags},
		{In: "rgb16.png", Out: "b", Settings: replace, flags: flags},
		{In: "rgba16.png", Out: "c", Settings: map[string]any{}, flags: []string{"--quality=fast"}},
		{In: "gray8.png", Out: "d", Settings: map[string]any{"noise": "photons"},
			flags: []string{"--noise=poisson", "--quality=fast"}},
		{In: "rgb16.png", Out: "e", Depth: "F32", Settings: white, flags: flags},
		{In: "rgb16.png", Out: "f", Depth: "F16", Settings: white, flags: flags},
		{In: "rgb16.png", Out: "g", Select: []int{30, 20, 60, 50}, Settings: replace, flags: flags},
		{In: "rgb8.png", Out: "h", Settings: map[string]any{"noise": "white", "sigma": -3.0}},
		{In: "rgb8.png", Out: "i", Settings: map[string]any{"program": "/nowhere/blorc"}},
	}
	for i := range list {
		list[i].In, list[i].Out = dir+"/"+list[i].In, dir+"/"+list[i].Out
	}
	text := must.Get(json.Marshal(list))(t)
	write(t, dir+"/jobs.json", string(text))
	host(t, dir, append(env, "PYTHONPATH="+place, "TMPDIR="+dir), "kritarunner", "-s", "krita_jobs", "-f", "__main__",
		dir+"/jobs.json")
	text = must.Get(os.ReadFile(dir + "/jobs.json.answers"))(t)
	var answers []struct {
		Failed, Depth, Model string
		Layers               []string
	}
	must.Do(t, json.Unmarshal(text, &answers))
	if len(answers) != len(list) {
		t.Fatalf("%d answers to %d jobs: %s", len(answers), len(list), text)
	}
	contains(t, answers[7].Failed, "must be a number of gray levels")
	contains(t, answers[8].Failed, "/nowhere/blorc")
	for i, j := range list[:7] {
		a := answers[i]
		if a.Failed != "" {
			t.Fatalf("job %d: %s", i, a.Failed)
		}
		if layers := 2; j.Settings["result"] == nil && (len(a.Layers) != layers ||
			!strings.HasSuffix(a.Layers[1], " denoised")) {
			t.Errorf("job %d: layers %q", i, a.Layers)
		}
		before, after := kritaPixels(t, j.Out+".before", a.Depth, a.Model),
			kritaPixels(t, j.Out+".after", a.Depth, a.Model)
		source := fmt.Sprintf("krita-%d.tif", i)
		colours := *before
		colours.Alpha = nil
		must.Do(t, imageio.Write(filepath.Join(dir, source), &colours, imageio.WriteOptions{Format: imageio.TIFF}))
		want := read(t, direct(t, dir, source, "want-"+source, j.flags...))[0]
		want.Alpha = before.Alpha
		tolerance := 0.0
		if a.Depth == "F16" {
			tolerance = 1.0 / 2048 // of a half
		}
		if j.Select != nil {
			want = inside(before, want, j.Select)
		}
		sameImage(t, fmt.Sprintf("job %d", i), after, want, tolerance)
	}
	noFilesLeft(t, dir)
}

// inside returns the samples of in inside of a rectangle, and of out elsewhere.
func inside(out, in *imageio.Image, r []int) *imageio.Image {
	mixed := *out
	mixed.Planes = nil
	for p, plane := range out.Planes {
		q := slices.Clone(plane)
		for y := r[1]; y < r[1]+r[3]; y++ {
			copy(q[y*out.Width+r[0]:][:r[2]], in.Planes[p][y*out.Width+r[0]:][:r[2]])
		}
		mixed.Planes = append(mixed.Planes, q)
	}
	return &mixed
}

// kritaPixels reads pixel data: gray or colours and opacity, integers as blue, green, red.
func kritaPixels(t *testing.T, path, depth, colourModel string) *imageio.Image {
	t.Helper()
	data := must.Get(os.ReadFile(path))(t)
	n := width * height
	channels := map[string]int{"RGBA": 4, "GRAYA": 2}[colourModel]
	img := &imageio.Image{Width: width, Height: height, Depth: map[string]imageio.Depth{"U8": 8, "U16": 16, "F16": 32,
		"F32": 32}[depth]}
	size := map[string]int{"U8": 1, "U16": 2, "F16": 2, "F32": 4}[depth]
	if len(data) != n*channels*size {
		t.Fatalf("%s has %d bytes", path, len(data))
	}
	for c := range channels {
		plane := make([]float32, n)
		for i := range plane {
			at := data[(i*channels+c)*size:]
			switch depth {
			case "U8":
				plane[i] = float32(at[0]) / 255
			case "U16":
				plane[i] = float32(binary.LittleEndian.Uint16(at)) / 65535
			case "F16":
				plane[i] = half(binary.LittleEndian.Uint16(at))
			case "F32":
				plane[i] = math.Float32frombits(binary.LittleEndian.Uint32(at))
			}
		}
		img.Planes = append(img.Planes, plane)
	}
	img.Alpha = img.Planes[channels-1]
	img.Planes = img.Planes[:channels-1]
	if depth[0] == 'U' {
		slices.Reverse(img.Planes)
	}
	return img
}

// half returns the value of a positive or negative normal half-precision float, or zero.
func half(v uint16) float32 {
	if v&0x7fff == 0 {
		return 0
	}
	return math.Float32frombits(uint32(v&0x8000)<<16 | (uint32(v&0x7fff)<<13 + (127-15)<<23))
}

func TestDarktable(t *testing.T) {
	t.Parallel()
	dir := draw(t, "rgb16.tif")
	must.Do(t, os.Rename(dir+"/rgb16.tif", dir+"/source.tif"))
	drawRaw(t, dir+"/raw.dng", mosaics["gbrg"])
	host(t, dir, nil, "exiftool", "-q", "-overwrite_original", "-Artist=Somebody", "-Make=Canon", "source.tif")
	user, env := home(t)
	script := contrib + "/darktable/blorc_denoise.lua"
	export := func(out, lua string, env []string) string {
		return host(t, dir, env, "darktable-cli", "source.tif", out, "--core", "--library", ":memory:", "--configdir",
			user+"/cfg", "--conf",
			"plugins/imageio/format/tiff/bpp=16", "--disable-opencl", "-d", "lua", "--luacmd", lua)
	}
	export("plain.tif", "print('none')", env)
	export("denoised.tif", "dofile('"+script+"')", env)
	want := direct(t, dir, "plain.tif", "want.tif")
	same(t, dir+"/denoised.tif", want, 0)
	tags := host(t, dir, nil, "exiftool", "denoised.tif")
	contains(t, tags, "Somebody")
	contains(t, tags, "Canon")
	contains(t, export("noisy.tif", "dofile('"+script+"')", append(env, "BLORC_DENOISE=/nowhere/blorc")),
		"is exported with its noise: the program /nowhere/blorc is not there. Install blorc-denoise, or")
	same(t, dir+"/noisy.tif", dir+"/plain.tif", 0)

	// The action on selected pictures needs the window. On rare occasions darktable never runs a script in it; it is
	// started again then.
	env = append(env, "BLORC_TEST_SCRIPT="+script, "BLORC_TEST_FOLDER="+dir, "QT_QPA_PLATFORM=")
	var out string
	var answer []byte
	for range 3 {
		out, _ = tryHost(dir, env, "xvfb-run", "-a", "-n", "191", "timeout", "-k", "5", "90", "darktable", "--library",
			":memory:", "--configdir", user+"/cfg", "--disable-opencl",
			"-d", "lua", "--luacmd", "dofile('"+testdata(t, "darktable.lua")+"')")
		var err error
		if answer, err = os.ReadFile(dir + "/answer.txt"); err == nil {
			break
		}
		t.Log(err, tail(out))
	}
	if got, want := strings.TrimSpace(string(answer)),
		"source-denoised-2.tif source-denoised.tif 4 a title true true darktable|format|tif,places|here\n"+
			"raw-denoised.dng 3 true\n"+
			`source.tif is no DNG file: convert it to DNG first, or use the action "blorc denoise"`; got != want {
		t.Errorf("got  %s\nwant %s\n%s", got, want, tail(out))
	}
	same(t, dir+"/source-denoised.tif", want, 0)
	same(t, dir+"/raw-denoised.dng", direct(t, dir, "raw.dng", "want.dng"), 0)
	plain := must.Get(os.ReadFile(dir + "/plain.tif"))(t)
	write(t, dir+"/again.tif", string(plain))
	same(t, dir+"/source-denoised-2.tif", direct(t, dir, "plain.tif", "want-shots.tif", "again.tif", "--burst"), 0)
	noFilesLeft(t, dir)
}

func TestImageJ(t *testing.T) {
	t.Parallel()
	dir := draw(t, "rgb8.png", "gray8.png", "gray16.tif", "gray16b.tif", "gray16c.tif", "gray16d.tif", "float.tif",
		"hole.tif")
	user, env := home(t)
	plugin := must.Get(os.ReadFile(updateSite(t, t.TempDir(), "1000000000")))(t)
	must.Do(t, os.MkdirAll(user+"/.imagej/plugins", 0o777))
	must.Do(t, os.WriteFile(user+"/.imagej/plugins/Blorc_Denoise.jar", plugin, 0o666))
	env = append(env, "TMPDIR="+dir, "JAVA_TOOL_OPTIONS=-Djava.io.tmpdir="+dir)
	for _, macro := range []struct{ name, last string }{{"stack.ijm", "frames16.tif"},
		{"imagej.ijm", "ij-undone.png"}} {
		// its exit code is always 1
		out, _ := tryHost(dir, env, "xvfb-run", "-a", "-n", "291", "imagej", "-b", testdata(t, macro.name), dir)
		if _, err := os.Stat(filepath.Join(dir, macro.last)); err != nil {
			t.Fatal(err, tail(out))
		}
	}
	white := []string{"--sigma=20", "--quality=fast"}
	same(t, dir+"/ij-rgb8.png", direct(t, dir, "rgb8.png", "want-rgb8.png", white...), 0)
	same(t, dir+"/ij-stack16.tif", direct(t, dir, "stack16.tif", "want-stack16.tif", "--quality=fast"), 0)
	samePart(t, dir+"/ij-frames16.tif", dir+"/frames16.tif", direct(t, dir, "frames16.tif", "want-frames16.tif",
		"--together"), 30, 20, 60, 50)
	same(t, dir+"/ij-float.tif", direct(t, dir, "float.tif", "want-float.tif", "--quality=fast"), 0)
	same(t, dir+"/ij-hole.tif", direct(t, dir, "hole.tif", "want-hole.tif", "--quality=fast", "--on-invalid=keep"), 0)
	samePart(t, dir+"/ij-part.png", dir+"/gray8.png", direct(t, dir, "gray8.png", "want-gray8.png", white...), 30, 20,
		60, 50)
	same(t, dir+"/ij-undone.png", dir+"/gray8.png", 0)
	text := must.Get(os.ReadFile(dir + "/ij-stack16.txt"))(t)
	if got := strings.ReplaceAll(string(bytes.TrimSpace(text)), "µ", "u"); got != "2 0.250 um one two" &&
		got != "2 0.250 micron one two" {
		t.Errorf("scale and labels are %q", got)
	}
	text = must.Get(os.ReadFile(dir + "/ij-frames16.txt"))(t)
	if got := string(bytes.TrimSpace(text)); got != "2 1 2" {
		t.Errorf("channels, slices and frames are %q", got)
	}
	for _, pattern := range []string{"/blorc-*.tif", "/blorc-*-out.tif"} {
		if left, _ := filepath.Glob(dir + pattern); left != nil {
			t.Errorf("left: %q", left)
		}
	}
}
