package imageio

import (
	"encoding/json"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

func TestOptionsAsJSON(t *testing.T) {
	read := ReadOptions{MaxPixels: 5, White: 255, NoData: []float64{-9999, 0}, KeepDamaged: true, Workers: 2}
	write := WriteOptions{Format: TIFF, Quality: 90, Subsampling: Subsampling420, Strip: true, Note: "n"}
	for want, o := range map[string]any{
		`{"max_pixels":5,"white":255,"no_data":[-9999,0],"keep_damaged":true,"workers":2}`: read,
		`{"format":"tiff","quality":90,"subsampling":"4:2:0","strip":true,"note":"n"}`:     write,
		`{}`: WriteOptions{},
	} {
		text, err := json.Marshal(o)
		if err != nil || string(text) != want {
			t.Errorf("%s, %v, want %s", text, err, want)
		}
	}
	var again WriteOptions
	if err := json.Unmarshal([]byte(`{"format":"JPEG","subsampling":"4:2:2"}`), &again); err != nil ||
		again.Format != JPEG || again.Subsampling != Subsampling422 {
		t.Errorf("%+v, %v", again, err)
	}
	for _, text := range []string{`{"format":"gif"}`, `{"subsampling":"4:1:1"}`} {
		must.Fail(t, text, json.Unmarshal([]byte(text), &again), ErrArgument)
	}
	for _, o := range []WriteOptions{{Format: 99}, {Format: -1}, {Subsampling: 9}} {
		if _, err := json.Marshal(o); err == nil {
			t.Errorf("%+v is JSON", o)
		}
	}
}
