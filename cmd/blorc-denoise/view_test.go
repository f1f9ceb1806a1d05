package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/batch"
	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/view"
	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/scene/scenetest"
	"github.com/blorc-denoise/blorc-denoise/models"
)

const viewSettings = `{"noise":"gaussian","sigma":12,"gain":0,"offset":0,"read_noise":0,"quality":"fast","strength":0.8,"luma":1,"chroma":1,"grain":0.1}`

// A file that the page saves has the bytes and the name that the command line gives.
func TestViewSavesWhatTheProgramDoes(t *testing.T) {
	t.Chdir(t.TempDir())
	drawn := scenetest.Draw(80, 60)
	for _, name := range []string{"a.png", "it's b.png"} {
		img := &imageio.Image{Width: 80, Height: 60, Planes: drawn[:], Depth: imageio.Depth8, Format: imageio.PNG}
		if err := imageio.Write(name, img, imageio.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	out, in := io.Pipe()
	var messages bytes.Buffer
	code := make(chan int)
	go func() {
		code <- run(ctx, []string{"view", "a.png", "it's b.png", "-o", "out", "--no-open", "--suffix", "-x"}, in,
			&messages)
	}()
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address = strings.TrimSpace(address)
	post := func(path, body string) string {
		r, _ := http.NewRequest("POST", address+path, strings.NewReader(body))
		r.Header.Set("Origin", address[:strings.LastIndex(strings.TrimSuffix(address, "/"), "/")])
		r.Header.Set("Content-Type", "application/json")
		a, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Body.Close()
		text, _ := io.ReadAll(a.Body)
		if a.StatusCode >= 300 {
			t.Fatalf("%s: %d %s", path, a.StatusCode, text)
		}
		return string(text)
	}
	body := `{"files":[{"file":0,"settings":` + viewSettings + `},{"file":1,"settings":` + viewSettings +
		`}],"replace":false}`
	if got, want := post("api/command", body),
		`"blorc-denoise a.png 'it'\\''s b.png' -o out --suffix -x --sigma 12 --quality fast --strength 0.8 --grain 0.1"`; !strings.Contains(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
	one := `{"files":[{"file":1,"settings":` + viewSettings + `}],"replace":true}`
	if got, want := post("api/command", one),
		`"blorc-denoise 'it'\\''s b.png' -o 'out/it'\\''s b-x.png' --sigma 12 --quality fast --strength 0.8 --grain 0.1 --overwrite always"`; !strings.Contains(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
	post("api/save", body)
	saved := filepath.Join("out", "it's b-x.png")
	for limit := time.Now().Add(20 * time.Second); time.Now().Before(limit); time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(saved); err == nil {
			break
		}
	}
	cancel()
	if c := <-code; c != exitOK {
		t.Errorf("exit code %d: %s", c, messages.String())
	}
	if c := run(t.Context(), []string{"it's b.png", "-o", "line.png", "--sigma", "12", "--quality", "fast",
		"--strength", "0.8", "--grain", "0.1"}, io.Discard, &messages); c != exitOK {
		t.Fatal(c, messages.String())
	}
	got, err := os.ReadFile(saved)
	if err != nil {
		t.Fatal(err, messages.String())
	}
	want, _ := os.ReadFile("line.png")
	if !bytes.Equal(got, want) {
		t.Error("the page saves other bytes than the command line")
	}
}

// What the command line warns of is told on the terminal and on the page.
func TestViewWarns(t *testing.T) {
	t.Chdir(t.TempDir())
	img := &imageio.Image{Width: 40, Height: 30, Planes: [][]float32{make([]float32, 1200)}, Depth: imageio.Depth8,
		Format: imageio.PNG}
	if err := imageio.Write("odd.jpg", img, imageio.WriteOptions{Format: imageio.PNG}); err != nil {
		t.Fatal(err)
	}
	for output, warns := range map[string]bool{"": true, "asked.jpg": false, "new/asked.jpg": false} {
		f := &viewFlags{denoiseFlags: denoiseFlags{sigma: 10, model: models.Default}}
		set := pflag.NewFlagSet("", pflag.ContinueOnError)
		f.write.add(set)
		f.solver.add(set)
		f.read.add(set)
		f.names.output, f.batch.overwrite = output, "never"
		v := &viewer{viewFlags: f, words: []string{"odd.jpg"}}
		o, err := f.options(v.words)
		if err != nil {
			t.Fatal(err)
		}
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
	img := &imageio.Image{Width: 40, Height: 30, Planes: [][]float32{make([]float32, 1200)}, Depth: imageio.Depth8,
		Format: imageio.PNG}
	files := []string{"a.png", "b.png"}
	f := &viewFlags{denoiseFlags: denoiseFlags{sigma: 10, model: models.Default}}
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	f.write.add(set)
	f.solver.add(set)
	f.read.add(set)
	f.batch.overwrite = "never"
	v := &viewer{viewFlags: f, words: files}
	o, err := f.options(v.words)
	if err != nil {
		t.Fatal(err)
	}
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
			if err := imageio.Write(name, img, imageio.WriteOptions{}); err != nil {
				t.Fatal(err)
			}
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
		f := denoiseFlags{sigma: autoSigma}
		set := pflag.NewFlagSet("", pflag.ContinueOnError)
		set.Var(&f.sigma, "sigma", "")
		f.solver.add(set)
		if err := set.Parse(flags); err != nil {
			t.Error(err)
			continue
		}
		got, err := f.solver.options(denoise.ModelSet{}, f.sigma)
		if err != nil {
			t.Error(err)
		}
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
	v := &viewer{viewFlags: &viewFlags{}, words: []string{"*.png"}, items: items,
		fixed: []string{"--suffix", "-x", "--preserve"}}
	v.batch.overwrite = "never"
	half := view.Choice{Files: []int{1}, Options: denoise.Options{Keep: 0.5}}
	got := v.command([]view.Choice{{Files: []int{0}}, half}, false)
	if want := "blorc-denoise a.png --suffix -x --preserve\nblorc-denoise b.png --suffix -x --preserve --strength " +
		"0.5"; got != want {
		t.Errorf("%s", got)
	}
	v.naming.Folder, v.names.output = "out", "out/"
	v.items[1].Out = "out/sub/b-x.png"
	if got, want := v.command([]view.Choice{half}, true),
		"blorc-denoise b.png -o out/sub/b-x.png --preserve --strength 0.5 --overwrite always"; got != want {
		t.Errorf("%s", got)
	}
	if got, want := v.command([]view.Choice{{Files: []int{0, 1}}}, false),
		"blorc-denoise '*.png' -o out/ --suffix -x --preserve"; got != want {
		t.Errorf("%s", got)
	}
	v.solver.profile = "iso 6400.json"
	if got, want := v.command([]view.Choice{{Files: []int{0}, Options: denoise.Options{Profile: &denoise.Profile{}}}},
		false),
		"blorc-denoise a.png -o a-denoised.png --preserve --noise 'iso 6400.json'"; got != want &&
		filepath.Separator == '/' {
		t.Errorf("%s", got)
	}
	v.items[0].Path, v.items[1].Path = "-a.png", "@b.png" // not a flag, and not a list
	if got, want := v.command([]view.Choice{{Files: []int{0}}}, false),
		"blorc-denoise ./-a.png -o a-denoised.png --preserve"; got != want && filepath.Separator == '/' {
		t.Errorf("%s", got)
	}
	if got, want := asInput("@b.png"), filepath.FromSlash("./@b.png"); got != want {
		t.Errorf("%s", got)
	}
}
