package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/camera"
	"github.com/blorc-denoise/blorc-denoise/internal/noise"
	"github.com/blorc-denoise/blorc-denoise/model"
	"github.com/blorc-denoise/blorc-denoise/models"
)

func TestToldLevelsAreNearTheBest(t *testing.T) {
	var told8, told0 []float64
	for i := range 200 {
		rng := noise.Source(uint64(i), "told")
		told8 = append(told8, drawn{Kind: "camera", MSE: []float64{40, 30, 20, 15, 10, 30}}.told(rng))
		told0 = append(told0, drawn{Kind: "clean", MSE: []float64{0, 1, 2}}.told(rng))
	}
	slices.Sort(told8)
	if told8[0] < 1.6 || told8[199] > 36 || told8[100] < 7.2 || told8[100] > 8.8 {
		t.Errorf("levels of %.1f, %.1f to %.1f for a best one of 8", told8[100], told8[0], told8[199])
	}
	if least, most := slices.Min(told0), slices.Max(told0); least < minWithout || most > maxWithout {
		t.Errorf("levels of %.1f to %.1f without noise", least, most)
	}
}

// sceneFolder has drawn pictures in place of files.
func sceneFolder() *generator {
	g := &generator{colour: []string{"a.png", "b.png"}, gray: []string{"g.png"}, real: []string{"r_real.png"},
		files: map[string]*camera.Picture{}}
	for _, name := range []string{"a.png", "b.png", "g.png", "r_real.png", "r_mean.png"} {
		g.files[name] = sceneOf(400, 390)
	}
	g.files["g.png"] = g.files["g.png"].Gray()
	return g
}

// Pictures of all kinds are drawn, measured and denoised, and both models come out.
func TestModelsAreTrained(t *testing.T) {
	if testing.Short() {
		t.Skip("denoises some pictures at many levels")
	}
	dir := t.TempDir()
	j := job{drawn: filepath.Join(dir, "drawn"), models: dir, count: 4,
		steps: 2, final: true}
	g := sceneFolder()
	if err := j.draw(g); err != nil {
		t.Fatal(err)
	}
	j.count = 6
	if err := j.draw(g); err != nil { // goes on
		t.Fatal(err)
	}
	all, err := readDrawn(j.drawn)
	if err != nil || len(all) != 6 {
		t.Fatalf("%d pictures, error %v", len(all), err)
	}
	for _, d := range all {
		if len(d.Inputs) == 0 || len(d.MSE) < 5 {
			t.Errorf("%d: %d sizes, %d errors", d.Number, len(d.Inputs), len(d.MSE))
		}
	}
	if err := j.trainBroad(g); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{models.BroadLuma, models.BroadChroma} {
		m, err := model.Load(filepath.Join(dir, name+"-25.safetensors"))
		if err != nil || m.Name != name {
			t.Error(name, m, err)
		}
	}
}

// A number gives the same picture each time, and every kind can be drawn.
func TestEveryKindIsDrawn(t *testing.T) {
	g := sceneFolder()
	for i := range kinds {
		a, err := g.make(g.recipe(i))
		if err != nil {
			t.Fatal(kinds[i], err)
		}
		b, err := g.make(g.recipe(i))
		if err != nil || !slices.Equal(a.noisy.Planes[0], b.noisy.Planes[0]) ||
			len(a.noisy.Planes) != len(a.clean.Planes) {
			t.Errorf("%s: other samples the second time, error %v", kinds[i], err)
		}
	}
}

func TestPicturesOfAFileThatIsCutShort(t *testing.T) {
	path := filepath.Join(t.TempDir(), "drawn")
	if err := os.WriteFile(path,
		[]byte("{\"Nodes\":[0]}\n{\"Number\":3,\"Kind\":\"clean\",\"MSE\":[1]}\n{\"Number\":4,\"Ki"),
		0o666); err != nil {
		t.Fatal(err)
	}
	all, err := readDrawn(path)
	if err != nil || len(all) != 1 || all[0].Number != 3 {
		t.Errorf("%v, error %v", all, err)
	}
}
