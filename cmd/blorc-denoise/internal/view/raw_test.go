package view

import (
	"image"
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/display"
	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/mosaic/dngtest"
	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// rawFile is a raw picture that lies on its side, with a border at odd places.
func rawFile(change func(f *dngtest.File)) []byte {
	f := &dngtest.File{Width: 305, Height: 283, Black: []uint32{512}, Active: []uint32{3, 5, 283, 305}}
	f.First = map[uint16]*dngtest.Tag{274: f.Shorts(8)}
	if change != nil {
		change(f)
	}
	f.Scene(1, 2e-3, 1e-5)
	return f.Bytes()
}

// The page shows a raw picture developed, before denoising and after.
func TestRawPicture(t *testing.T) {
	data := rawFile(nil)
	v := start(t, data)
	events, _ := v.listen()
	v.run(0, plainSettings)
	if e := wait(t, events, "picture", nil); e["width"] != 280.0 || e["height"] != 300.0 || e["colour"] != true ||
		e["about"] != "280 × 300, 16-bit DNG, raw" {
		t.Error(e)
	}
	if e := wait(t, events, "noise", nil); e["noise"] != "poisson" || e["told"] != true ||
		!strings.HasPrefix(e["text"].(string), "photon noise, gain 31.7, offset 512, read noise 50.2") {
		t.Error(e)
	}
	wait(t, events, "progress", isDone)
	if code, text := v.do("POST", "api/map", `{"run":1}`); code != http.StatusNoContent {
		t.Error(code, text)
	}
	if e := wait(t, events, "map", nil); !strings.HasPrefix(e["why"].(string), "a raw picture cannot be shown") {
		t.Error(e)
	}
	img := must.Get(imageio.Decode(data, imageio.ReadOptions{}))(t)
	raw := display.NewRaw(img)
	off := map[string]float64{}
	for _, side := range []string{"before", "after"} {
		if side == "after" {
			o := denoise.FileOptions{Options: denoise.Options{Quality: denoise.Fast}}
			must.Get(denoise.Decoded(t.Context(), img, o))(t)
		}
		want := raw.Developed(img, image.Point{}, raw.Bounds())
		code, text := v.do("GET", "api/tile?run=1&level=0&x=1&y=1&side="+side, "")
		if code != 200 {
			t.Fatal(code, text)
		}
		for y := range 300 - tileSide {
			for x := range 280 - tileSide {
				for c, p := range want.Planes {
					d := 255*float64(p[(y+tileSide)*280+x+tileSide]) - float64(text[4*(y*tileSide+x)+c])
					off[side] = max(off[side], math.Abs(d))
				}
			}
		}
	}
	if off["before"] > 0.51 || off["after"] > 2.5 {
		t.Errorf("shown are other pixels: %v", off)
	}
}

// What the command refuses, the page refuses in a line, and what the file tells comes before kinds without numbers.
func TestRawSettings(t *testing.T) {
	gray := func(f *dngtest.File) { f.Raw = map[uint16]*dngtest.Tag{262: f.Shorts(34892)} }
	xTrans := func(f *dngtest.File) { f.Raw = map[uint16]*dngtest.Tag{33421: f.Shorts(6, 6)} }
	denoised := func(f *dngtest.File) { f.First[50935] = f.Doubles(1) }
	v := start(t, rawFile(xTrans), rawFile(gray), rawFile(denoised))
	events, _ := v.listen()
	v.run(0, plainSettings)
	if e := wait(t, events, "failed", nil); !strings.Contains(e["message"].(string), "DNG with an X-Trans mosaic") {
		t.Error(e)
	}
	v.run(1, strings.Replace(plainSettings, "auto", "camera", 1))
	if e := wait(t, events, "picture", nil); e["about"] != "280 × 300, 16-bit DNG, raw, gray" || e["colour"] != false {
		t.Error(e)
	}
	if e := wait(t, events, "noise", nil); e["noise"] != "poisson" || e["told"] != true {
		t.Error(e)
	}
	wait(t, events, "progress", isDone)
	v.run(2, plainSettings)
	if e := wait(t, events, "noise", nil); e["unchanged"] != true ||
		e["why"] != "already denoised: its tag NoiseReductionApplied is 1" {
		t.Error(e)
	}
	for _, chosen := range []string{`"gaussian","sigma":3`, `"poisson","sigma":0,"gain":6`} {
		v.run(2, strings.Replace(strings.Replace(plainSettings, `,"gain":0`, "", strings.Count(chosen, "gain")),
			`"auto","sigma":0`, chosen, 1))
		if e := wait(t, events, "noise", nil); e["unchanged"] != false || e["told"] != false {
			t.Error(e)
		}
	}
}

// Models that are not for raw pictures are refused.
func TestRawOfOtherModels(t *testing.T) {
	v, l := newView(t)
	data := rawFile(nil)
	v.serve(l, Config{Files: []File{{Name: "a.dng"}}, Options: denoise.Options{
		Models: must.Get(denoise.ShippedModels("local"))(t)},
		Open: func(int) (*imageio.Reader, error) { return imageio.NewReader(data, imageio.ReadOptions{}) }})
	events, _ := v.listen()
	wait(t, events, "hello", nil)
	v.run(0, plainSettings)
	const want = "a raw picture cannot be denoised with other models: develop it first"
	if e := wait(t, events, "failed", nil); e["message"] != want {
		t.Error(e)
	}
}
