package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/batch"
	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/view"
	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/mosaic/dngtest"
	"github.com/blorc-denoise/blorc-denoise/models"
)

const viewSettings = `{"noise":"gaussian","sigma":12,"gain":0,"offset":0,"read_noise":0,"quality":"fast","strength":0.8,"luma":1,"chroma":1,"grain":0.1}`

// A file that the page saves has the bytes and the name that the command line gives.
func TestViewSavesWhatTheProgramDoes(t *testing.T) {
	t.Chdir(t.TempDir())
	drawnPNG(t, "a.png")
	drawnPNG(t, "it's b.png")
	raw := dngtest.File{Width: 96, Height: 80, Black: []uint32{512}}
	raw.Scene(1, 4e-4, 1e-6)
	if err := os.WriteFile("c.dng", raw.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	p := startView(t, "a.png", "it's b.png", "c.dng", "-o", "out", "--suffix", "-x", "--wrap")
	const all, one = `{"files":[{"file":0,"settings":` + viewSettings + `},{"file":1,"settings":` + viewSettings +
		`},{"file":2,"settings":` + viewSettings + `}],"replace":false}`, `{"files":[{"file":1,"settings":` +
		viewSettings + `}],"replace":true}`
	const flags = ` --wrap --sigma 12 --quality fast --strength 0.8 --grain 0.1`
	for choice, want := range map[string]string{
		all: `"blorc-denoise a.png 'it'\\''s b.png' c.dng -o out --suffix -x` + flags + `"`,
		one: `"blorc-denoise 'it'\\''s b.png' -o 'out/it'\\''s b-x.png'` + flags + ` --overwrite always"`,
	} {
		if code, got := p.send("POST", "api/command", object, choice); code != 200 || !strings.Contains(got, want) {
			t.Errorf("%d %s, want %s", code, got, want)
		}
	}
	saved := map[string]string{"it's b.png": "it's b-x.png", "c.dng": "c-x.dng"}
	if code, text := p.send("POST", "api/save", object, all); code >= 300 {
		t.Fatal(code, text)
	}
	for _, name := range saved {
		until(t, name, func() bool { _, err := os.Stat(filepath.Join("out", name)); return err == nil })
	}
	if c := p.end(); c != exitOK {
		t.Errorf("exit code %d: %s", c, p.messages)
	}
	for path, name := range saved {
		if readFile(t, filepath.Join("out", name)) != onCommandLine(t, path, "--wrap") {
			t.Errorf("%s: the page saves other bytes than the command line", path)
		}
	}
}

// onCommandLine returns what the command line makes of a file with viewSettings and other flags.
func onCommandLine(t *testing.T, path string, flags ...string) string {
	t.Helper()
	out := "line" + filepath.Ext(path)
	args := append(flags, path, "-o", out, "--sigma", "12", "--quality", "fast", "--strength", "0.8",
		"--grain", "0.1", "-q")
	if c := run(t.Context(), args, io.Discard, io.Discard); c != exitOK {
		t.Fatal(c)
	}
	return readFile(t, out)
}

// newViewer returns a viewer of files for an output, and its options.
func newViewer(t *testing.T, output string, files ...string) (*viewer, denoise.Options) {
	t.Helper()
	f, set := &viewFlags{}, pflag.NewFlagSet("", pflag.ContinueOnError)
	f.fileFlags.add(set)
	f.solver.sigma, f.names.output, f.batch.overwrite = 10, output, "never"
	f.names.take(files)
	o, err := f.options()
	if err != nil {
		t.Fatal(err)
	}
	return &viewer{viewFlags: f}, o
}

// blackPNG writes a black PNG file.
func blackPNG(t *testing.T, path string) {
	t.Helper()
	img := &imageio.Image{Width: 40, Height: 30, Planes: [][]float32{make([]float32, 1200)}, Depth: imageio.Depth8}
	if err := imageio.Write(path, img, imageio.WriteOptions{Format: imageio.PNG}); err != nil {
		t.Fatal(err)
	}
}

// What the command line warns of is told on the terminal and on the page.
func TestViewWarns(t *testing.T) {
	t.Chdir(t.TempDir())
	blackPNG(t, "odd.jpg")
	for output, warns := range map[string]bool{"": true, "asked.jpg": false, "new/asked.jpg": false} {
		v, o := newViewer(t, output, "odd.jpg")
		var messages bytes.Buffer
		if err := v.find(t.Context(), &ui{err: &messages}); err != nil {
			t.Fatal(err)
		}
		text, err := v.save(t.Context(), 0, o, false)
		if err != nil {
			t.Fatal(err)
		}
		const fault = "warning: it is a PNG file; the output is a JPEG file, as its name says"
		if told := strings.Contains(messages.String(), "\nblorc-denoise: odd.jpg: "+fault+"\n"); told != warns ||
			strings.HasSuffix(text, "; "+fault) != warns {
			t.Errorf("output %q: %s on the page, on the terminal:\n%s", output, text, &messages)
		}
	}
}

// Files whose last attempt to save failed decide the exit code.
func TestViewExitCode(t *testing.T) {
	t.Chdir(t.TempDir())
	files := []string{"a.png", "b.png"}
	v, o := newViewer(t, "", files...)
	var messages bytes.Buffer
	for i, step := range []struct {
		there    []string // of the files
		save     int
		want     int
		lastLine string
	}{
		{files, -1, exitOK, "ended; 0 files saved"},
		{nil, 0, exitIO, "ended; 0 files saved, 1 file not"},
		{nil, 1, exitIO, "ended; 0 files saved, 2 files not"},
		{files, 0, exitFailed, "ended; 1 file saved, 1 file not"},
		{files, 1, exitOK, "ended; 2 files saved"},
	} {
		for _, name := range files {
			os.Remove(name)
		}
		for _, name := range step.there {
			blackPNG(t, name)
		}
		if i == 0 {
			if err := v.find(t.Context(), &ui{err: &messages}); err != nil {
				t.Fatal(err)
			}
		}
		if step.save >= 0 {
			if _, err := v.save(t.Context(), step.save, o, false); (err == nil) != (step.there != nil) {
				t.Errorf("step %d: %v", i, err)
			}
		}
		code := exitOK
		var end silent
		if err := v.end(&ui{err: &messages}); errors.As(err, &end) {
			code = int(end)
		}
		if code != step.want || !strings.HasSuffix(messages.String(), step.lastLine+"\n") {
			t.Errorf("step %d: exit code %d, want %d:\n%s", i, code, step.want, &messages)
		}
	}
}

func TestOptionFlags(t *testing.T) {
	for _, c := range []struct {
		o    denoise.Options
		want string
	}{
		{denoise.Options{}, "[]"},
		{denoise.Options{Noise: denoise.Gaussian}, "[--noise gaussian]"},
		{denoise.Options{Noise: denoise.Gaussian, Sigma: 12.5}, "[--sigma 12.5]"},
		{denoise.Options{Noise: denoise.None, Quality: denoise.Best}, "[--noise none --quality best]"},
		{denoise.Options{Noise: denoise.Poisson, Photons: denoise.PhotonNoise{Gain: 2.1, Offset: 100}},
			"[--noise poisson --gain 2.1 --offset 100]"},
		{denoise.Options{Keep: 0.1, KeepLuma: 0.3, KeepChroma: 1, Grain: 0.2},
			"[--strength 0.9 --luma 0.7 --chroma 0 --grain 0.2]"},
	} {
		flags := optionFlags(c.o)
		if fmt.Sprint(flags) != c.want {
			t.Errorf("%v, want %s", flags, c.want)
		}
		// The program takes them for the same options.
		solver, set := solverFlags{}, pflag.NewFlagSet("", pflag.ContinueOnError)
		solver.add(set)
		solver.addSigma(set)
		if err := set.Parse(flags); err != nil {
			t.Error(err)
			continue
		}
		got, err := solver.options(models.Default)
		if err != nil {
			t.Error(err)
		}
		got.Models = c.o.Models
		if got.Sigma > 0 {
			got.Noise = denoise.Gaussian
		}
		for _, share := range []*float64{&got.Keep, &got.KeepLuma, &got.KeepChroma} {
			*share = float64(int(*share*1e6+0.5)) / 1e6
		}
		if fmt.Sprint(got) != fmt.Sprint(c.o) {
			t.Errorf("%v gives %+v, want %+v", flags, got, c.o)
		}
	}
}

func TestQuoted(t *testing.T) {
	for word, want := range map[string]string{
		"photo.jpg": "photo.jpg", "a b": "'a b'", "it's": `'it'\''s'`, "": "''", "$HOME": "'$HOME'",
		"größe.png": "größe.png",
		"a\nb":      `$'a\x0ab'`, "\xff'.png": `$'\xff\'.png'`, "a;b": "'a;b'", "~": "'~'", "*": "'*'",
	} {
		if got := quoted(word); got != want && os.PathSeparator == '/' {
			t.Errorf("%q: %s, want %s", word, got, want)
		}
	}
}

// Files with other settings have a line of their own; in an output folder, each file has.
func TestCommandLines(t *testing.T) {
	items := []shown{{Item: batch.Item{Input: batch.Input{Path: "a.png"}, Out: "a-denoised.png"}},
		{Item: batch.Item{Input: batch.Input{Path: "b.png"}, Out: "b-denoised.png"}}}
	v := &viewer{viewFlags: &viewFlags{}, items: items, fixed: []string{"--suffix", "-x", "--preserve"}}
	v.batch.overwrite = "never"
	v.names.take([]string{"*.png"})
	check := func(want string, replace bool, choices ...view.Choice) {
		t.Helper()
		if got := v.command(choices, replace); got != want && filepath.Separator == '/' {
			t.Errorf("%s, want %s", got, want)
		}
	}
	first, half := view.Choice{Files: []int{0}}, view.Choice{Files: []int{1}, Options: denoise.Options{Keep: 0.5}}
	check("blorc-denoise a.png --suffix -x --preserve\nblorc-denoise b.png --suffix -x --preserve --strength 0.5",
		false, first, half)
	v.naming.Folder, v.names.output = "out", "out/"
	v.items[1].Out = "out/sub/b-x.png"
	check("blorc-denoise b.png -o out/sub/b-x.png --preserve --strength 0.5 --overwrite always", true, half)
	check("blorc-denoise '*.png' -o out/ --suffix -x --preserve", false, view.Choice{Files: []int{0, 1}})
	v.solver.profile = "iso 6400.json"
	check("blorc-denoise a.png -o a-denoised.png --preserve --noise 'iso 6400.json'", false,
		view.Choice{Files: []int{0}, Options: denoise.Options{Profile: &denoise.Profile{}}})
	v.items[0].Path, v.items[1].Path = "-a.png", "@b.png" // not a flag, and not a list
	check("blorc-denoise ./-a.png -o a-denoised.png --preserve", false, first)
	if got, want := asInput("@b.png"), filepath.FromSlash("./@b.png"); got != want {
		t.Errorf("%s", got)
	}
}
