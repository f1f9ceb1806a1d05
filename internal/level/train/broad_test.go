package main

import (
	"encoding/gob"
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
	c := curve{Sigma: []float64{0, 5, 10, 20}, MSE: []float64{40, 20, 10, 30}}
	var told10, told0 []float64
	for i := range 200 {
		rng := noise.Source(1, string(rune(i)))
		told10 = append(told10, told(recipe{Kind: "camera"}, c, rng))
		told0 = append(told0, told(recipe{Kind: "clean"}, c, rng))
	}
	slices.Sort(told10)
	if told10[0] < 2 || told10[199] > 45 || told10[100] < 9 || told10[100] > 11 {
		t.Errorf("levels of %.1f, %.1f to %.1f for a best one of 10", told10[100], told10[0], told10[199])
	}
	if least, most := slices.Min(told0), slices.Max(told0); least < leastWithout || most > mostWithout {
		t.Errorf("levels of %.1f to %.1f without noise", least, most)
	}
}

func TestNodesAroundTheBest(t *testing.T) {
	c := curve{Sigma: []float64{0, 5, 10, 20}, MSE: []float64{40, 20, 10, 30}}
	if got, want := c.around(), []float64{0, 6.4, 9, 12.7, 18}; !slices.Equal(got, want) {
		t.Errorf("nodes %v, want %v", got, want)
	}
	if got := (curve{Sigma: []float64{0, 5}, MSE: []float64{0, 3}}).around(); got[0] != 0 || got[1] != 1 {
		t.Errorf("nodes %v for a clean picture", got)
	}
}

// Pictures go through the file, and both models come out.
func TestBroadModelsAreTrained(t *testing.T) {
	dir := t.TempDir()
	j := job{data: dir, pictures: filepath.Join(dir, "pictures"), models: dir, steps: 2, workers: 1}
	if err := os.Mkdir(filepath.Join(dir, "polyu"), 0o777); err != nil {
		t.Fatal(err)
	}
	for i := range trainedReal {
		if err := os.WriteFile(filepath.Join(dir, "polyu", string(rune('A'+i))+"_real.JPG"), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.Create(j.pictures)
	if err != nil {
		t.Fatal(err)
	}
	enc := gob.NewEncoder(f)
	g := &generator{files: map[string]*camera.Picture{"polyu/A_mean.JPG": drawn(64, 48), "polyu/X_mean.JPG": drawn(60, 50)}}
	g.files["polyu/Y_mean.JPG"] = drawn(50, 50).Gray()
	for _, file := range []string{"polyu/A_mean.JPG", "polyu/X_mean.JPG", "polyu/Y_mean.JPG"} {
		b, err := g.broad(recipe{Kind: "white", File: file}, curve{Sigma: []float64{0, 10}, MSE: []float64{100, 20}})
		if err != nil {
			t.Fatal(err)
		}
		if err := enc.Encode(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	j.final = true
	if err := j.trainBroad(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{models.BroadLuma, models.BroadChroma} {
		m, err := model.Load(filepath.Join(dir, name+"-25.safetensors"))
		if err != nil || m.Name != name {
			t.Error(name, m, err)
		}
	}
	b := broadPicture{File: "polyu/" + string(rune('A'+heldRealFrom)) + "_mean.JPG"}
	if real := find(dir, "polyu/*_real.JPG"); !b.held(real) {
		t.Errorf("%s is trained on", b.File)
	}
	if err := j.broadPictures(&generator{folder: dir}); err == nil {
		t.Error("no error without data")
	}
}
