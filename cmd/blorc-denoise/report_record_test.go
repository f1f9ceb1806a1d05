package main

import (
	"encoding/json"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/denoise"
)

func TestNoiseOfPagesInJSON(t *testing.T) {
	v := record{Status: statusDone}
	v.result(denoise.Result{Noise: denoise.Camera, Sigma: 9, Pages: 2,
		Each: []denoise.Result{{Noise: denoise.None}, {Noise: denoise.Camera, Sigma: 9}}})
	got, err := json.Marshal(v)
	want := `{"path":"","status":"done","noise":{"kind":"camera","level":9},"page_noise":[{"kind":"none"},{"kind":"camera","level":9}],` +
		`"sigma":9,"estimated":false,"pages":2,"version":""}`
	if err != nil || string(got) != want {
		t.Errorf("%v, %s, want %s", err, got, want)
	}
}

func TestNoiseInJSON(t *testing.T) {
	tests := []struct {
		result denoise.Result
		want   string
	}{
		{denoise.Result{Noise: denoise.Gaussian, Sigma: 9, Full: 255, Places: [2]float64{0.5, 2}},
			`{"kind":"gaussian","sigma":9,"places":[0.5,2]}`},
		{denoise.Result{Noise: denoise.Camera, Sigma: 9, Scale: 2}, `{"kind":"camera","level":9,"enlarged":2}`},
		{denoise.Result{Noise: denoise.Curve, Range: [2]float64{1, 8}}, `{"kind":"curve","range":[1,8]}`},
		{denoise.Result{Noise: denoise.None}, `{"kind":"none"}`},
	}
	for _, test := range tests {
		got, err := json.Marshal(noiseOf(test.result))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != test.want {
			t.Errorf("%v: %s, want %s", test.result, got, test.want)
		}
	}
}
