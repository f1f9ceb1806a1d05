package denoise

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	goimage "image"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/must"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/model"
)

func TestBadOptionsAreRefused(t *testing.T) {
	camera := setOf(t, cameraModel(t))
	for name, change := range map[string]func(*Options){
		"noise":            func(o *Options) { o.Noise = 99 },
		"negative noise":   func(o *Options) { o.Noise = -1 },
		"quality":          func(o *Options) { o.Quality = 99 },
		"negative quality": func(o *Options) { o.Quality = -1 },
		"keep":             func(o *Options) { o.Keep = 1.1 },
		"keep NaN":         func(o *Options) { o.Keep = math.NaN() },
		"sigma NaN":        func(o *Options) { o.Sigma = math.NaN() },
		"negative sigma":   func(o *Options) { o.Sigma = -1 },
		"huge sigma":       func(o *Options) { o.Sigma = 1e9 },
		"sigma of photons": func(o *Options) { o.Noise, o.Sigma, o.Photons.Gain = Poisson, 3, 1 },
		"unused gain":      func(o *Options) { o.Photons.Gain = 1 },
		"no gain":          func(o *Options) { o.Noise, o.Photons.Offset = Poisson, 1 },
		"curve":            func(o *Options) { o.Noise = Curve },
		"empty profile":    func(o *Options) { o.Profile = new(Profile) },
		"two noises":       func(o *Options) { o.Profile, o.Sigma = whiteProfileOf(3), 3 },
		"stride":           func(o *Options) { o.Stride = 9 },
		"negative stride":  func(o *Options) { o.Stride = -1 },
		"workers":          func(o *Options) { o.Workers = -1 },
		"many workers":     func(o *Options) { o.Workers = 1 << 20 },
		"huge gain":        func(o *Options) { o.Noise, o.Photons.Gain = Poisson, 1e100 },
		"huge read noise":  func(o *Options) { o.Noise, o.Photons = Poisson, PhotonNoise{Gain: 1, ReadNoise: 1e30} },
		"camera":           func(o *Options) { o.Models, o.Noise = camera, Gaussian },
	} {
		var o Options
		change(&o)
		must.Fail(t, name,
			must.Err(Planes(context.Background(), [][]float32{make([]float32, 64)}, 8, 8, o)), ErrArgument)
	}
}

// settings yields the path of each exported field, and sets it to a value that is not its zero.
func settings(v reflect.Value, path string, yield func(path string)) {
	for i := range v.NumField() {
		f, name := v.Field(i), path+v.Type().Field(i).Name
		// how a file is reached, not what it holds
		if !v.Type().Field(i).IsExported() || v.Type().Field(i).Tag.Get("json") == "-" {
			continue
		}
		before := reflect.ValueOf(f.Interface())
		switch f.Kind() {
		case reflect.Struct:
			if f.Type() != reflect.TypeFor[ModelSet]() {
				settings(f, name+".", yield)
				continue
			}
			f.Set(reflect.ValueOf(ModelSet{name: "paper"}))
		case reflect.Pointer:
			f.Set(reflect.ValueOf(&Profile{Version: profileVersion, Kind: Gaussian, FullScale: 255,
				Channels: []ChannelNoise{{Sigma: 3}}}))
		case reflect.Int, reflect.Int64:
			f.SetInt(2)
		case reflect.Float64:
			f.SetFloat(0.5)
		case reflect.String:
			f.SetString("a note")
		case reflect.Bool:
			f.SetBool(true)
		case reflect.Slice:
			if f.Type() == reflect.TypeFor[[]float64]() {
				f.Set(reflect.ValueOf([]float64{-9999}))
				break
			}
			f.Set(reflect.ValueOf([]string{"a name"}))
		default:
			panic("no value for " + name)
		}
		yield(name)
		f.Set(before)
	}
}

// Every exported option, also one that is added later, changes the fingerprint and survives its JSON form, unless it is
// listed here as one that outputs do not depend on.
func TestFingerprintHasEveryOption(t *testing.T) {
	harmless := []string{"Options.Workers", "Read.Workers", "Write.Workers", "Read.MaxPixels", "Read.MaxBytes",
		"Write.Overwrite"}
	var o FileOptions
	zero := must.Get(o.Fingerprint())(t)
	seen := map[string]string{zero: "the zero options"}
	settings(reflect.ValueOf(&o).Elem(), "", func(path string) {
		sum := must.Get(o.Fingerprint())(t)
		if slices.Contains(harmless, path) {
			if sum != zero {
				t.Errorf("%s changes the fingerprint", path)
			}
		} else if other, ok := seen[sum]; ok {
			t.Errorf("%s has the fingerprint of %s", path, other)
		}
		seen[sum] = path
		text := must.Get(json.Marshal(o))(t)
		var again FileOptions
		if err := json.Unmarshal(text, &again); err != nil || !reflect.DeepEqual(again, o) {
			t.Errorf("%s: JSON gives %+v, not %+v (%v)", path, again, o, err)
		}
	})
	if len(seen) < 12 {
		t.Errorf("only %d options were tried", len(seen))
	}
}

func TestModelFilesInJSON(t *testing.T) {
	dct := solve.DCTBasis(8)
	write := func(path string, scale float64) {
		t.Helper()
		l := must.Get(stage.NewLocal(8, solve.DefaultSchedule(), []solve.Transform{dct.Scale(scale)}, nil))(t)
		m := model.Model{Info: model.Info{Name: "mine", Sigma: 25}, Stages: stage.Sequence{l}}
		data := must.Get(m.Marshal())(t)
		must.Do(t, os.WriteFile(path, data, 0o666))
	}
	dir := t.TempDir()
	first, second := filepath.Join(dir, "first.safetensors"), filepath.Join(dir, "second.safetensors")
	write(first, 1)
	write(second, 1)
	load := func(path string) FileOptions {
		t.Helper()
		m := must.Get(LoadModel(path))(t)
		return FileOptions{Options: Options{Models: m}}
	}
	a, err1 := load(first).Fingerprint()
	b, err2 := load(second).Fingerprint()
	if err := errors.Join(err1, err2); err != nil || a != b {
		t.Errorf("equal models in two files have fingerprints %s and %s (%v)", a, b, err)
	}
	text := must.Get(json.Marshal(load(first)))(t)
	var o FileOptions
	if err := json.Unmarshal(text, &o); err != nil || o.Models.String() != "mine" {
		t.Errorf("read again: %v, %v", o.Models, err)
	}
	write(first, 2)
	if c, err := load(first).Fingerprint(); err != nil || c == a {
		t.Errorf("another model has the same fingerprint (%v)", err)
	}
	must.Fail(t, "a file that has changed", json.Unmarshal(text, &o), model.ErrFormat)
	must.Fail(t, "an unknown name", json.Unmarshal([]byte(`{"models":{"name":"none"}}`), &o), ErrArgument)
}

// No exported function panics, whatever it is given.
func TestBadInputIsAnError(t *testing.T) {
	ctx := context.Background()
	var none context.Context
	plane := func(n int) [][]float32 { return [][]float32{make([]float32, n)} }
	for name, c := range map[string]struct {
		ctx           context.Context
		planes        [][]float32
		width, height int
	}{
		"no context":    {nil, plane(64), 8, 8},
		"no planes":     {ctx, nil, 8, 8},
		"two planes":    {ctx, append(plane(64), plane(64)...), 8, 8},
		"nil plane":     {ctx, [][]float32{nil}, 8, 8},
		"short plane":   {ctx, plane(63), 8, 8},
		"long plane":    {ctx, plane(65), 8, 8},
		"unequal":       {ctx, [][]float32{make([]float32, 64), make([]float32, 64), make([]float32, 60)}, 8, 8},
		"0 x 0":         {ctx, plane(0), 0, 0},
		"negative":      {ctx, plane(64), -8, -8},
		"overflow":      {ctx, plane(0), math.MaxInt, 2},
		"overflow to 0": {ctx, plane(0), 1 << (bits.UintSize / 2), 1 << (bits.UintSize / 2)},
	} {
		must.Fail(t, name, must.Err(Planes(c.ctx, c.planes, c.width, c.height, Options{})), ErrArgument)
	}
	for name, err := range map[string]error{
		"File":          must.Err(File(none, "a", "b", FileOptions{})),
		"File of bytes": must.Err(File(none, "", "b", FileOptions{Data: []byte{}})),
		"Stream":        must.Err(Stream(ctx, nil, nil, FileOptions{})),
		"Bytes":         must.Err(Stream(ctx, nil, bytes.NewBuffer(nil), FileOptions{})),
		"Decoded":       must.Err(Decoded(ctx, nil, FileOptions{})),
		"Measure":       must.Err(measured(ctx, nil, FileOptions{})),
		"UseModel":      must.Err(UseModel(nil)),
		"ShippedModels": must.Err(ShippedModels("no such")),
		"choose":        must.Err(ModelSet{}.choose(math.NaN())),
	} {
		must.Fail(t, name, err, ErrArgument)
	}
	must.Fail(t, "a model without stages", must.Err(UseModel(&model.Model{})), model.ErrFormat)
	gray := make([]float32, 64)
	for name, img := range map[string]*imageio.Image{
		"no planes":   {Width: 8, Height: 8},
		"short plane": {Width: 8, Height: 8, Planes: [][]float32{gray, gray[:10], gray}},
		"short alpha": {Width: 8, Height: 8, Planes: [][]float32{gray}, Alpha: gray[:10]},
		"short extra": {Width: 8, Height: 8, Planes: [][]float32{gray}, Extra: [][]float32{gray[:10]}},
	} {
		for function, err := range map[string]error{
			"Decoded": must.Err(Decoded(ctx, img, FileOptions{})),
			"Analyse": must.Err(Analyse(ctx, img, FileOptions{})),
			"Part":    must.Err(new(Analysis).Part(ctx, img, goimage.Rect(0, 0, 8, 8), 0, Options{})),
			"Add":     must.Err(new(Repeats).Add("", img)),
		} {
			if !errors.Is(err, ErrArgument) {
				t.Errorf("%s, %s: %v", function, name, err)
			}
		}
	}
}
