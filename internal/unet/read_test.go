package unet

import (
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
	"github.com/blorc-denoise/blorc-denoise/internal/safetensors"
)

func marshal(t testing.TB, all map[string]safetensors.Tensor) []byte {
	t.Helper()
	return must.Get(safetensors.Marshal(safetensors.File{Tensors: all}))(t)
}

func TestReadGivesTheNetworkOfTheTensors(t *testing.T) {
	all := drawn(3, []int{4, 6, 5}, 2)
	n := must.Get(Read(marshal(t, all)))(t)
	image := noisy(3, 20, 30)
	if !equal(denoise(t, n, image, 20, 30, 0.1, 1), denoise(t, mustBuild(t, all), image, 20, 30, 0.1, 1)) {
		t.Error("the network in the file differs")
	}
}

// whole changes a tensor to whole numbers with scales. The scale of a row brings its largest value to 127.
func whole(f map[string]safetensors.Tensor, name string) {
	v := f[name+".weight"]
	rows, w := v.Shape[0], slices.Clone(v.Values)
	scales := safetensors.Tensor{DType: safetensors.F32, Shape: []int{rows}, Values: make([]float64, rows)}
	for i := range rows {
		row := w[i*len(w)/rows : (i+1)*len(w)/rows]
		scale := float64(float32(max(slices.Max(row), -slices.Min(row)) / 127))
		for j := range row {
			row[j] = math.Round(row[j] / scale)
		}
		scales.Values[i] = scale
	}
	f[name+".weight"] = safetensors.Tensor{DType: safetensors.I8, Shape: v.Shape, Values: w}
	f[name+".scale"] = scales
}

// Whole numbers times their scales are the weights, in layers of all kinds.
func TestReadMultipliesByScales(t *testing.T) {
	scaled, plain := drawn(1, []int{4, 6}, 1), drawn(1, []int{4, 6}, 1)
	for _, name := range []string{"head", "enc.0.0.1", "down.0", "up.0", "tail"} {
		whole(scaled, name)
		w, s := scaled[name+".weight"], scaled[name+".scale"]
		values := slices.Clone(w.Values)
		for i := range values {
			values[i] = float64(float32(values[i]) * float32(s.Values[i*len(s.Values)/len(values)]))
		}
		plain[name+".weight"] = safetensors.Tensor{DType: safetensors.F32, Shape: w.Shape, Values: values}
	}
	n := must.Get(Read(marshal(t, scaled)))(t)
	image := noisy(1, 20, 30)
	if !equal(denoise(t, n, image, 20, 30, 0.1, 1), denoise(t, mustBuild(t, plain), image, 20, 30, 0.1, 1)) {
		t.Error("the network of whole numbers differs from that of their products with the scales")
	}
}

type file = map[string]safetensors.Tensor

// filled returns a tensor of one value.
func filled(kind safetensors.DType, value float64, shape ...int) safetensors.Tensor {
	n := 1
	for _, s := range shape {
		n *= s
	}
	return safetensors.Tensor{DType: kind, Shape: shape, Values: slices.Repeat([]float64{value}, n)}
}

func TestReadRefusesScales(t *testing.T) {
	for name, c := range map[string]struct {
		change func(file)
		want   string
	}{
		"none": {func(f file) { delete(f, "head.scale") }, "no tensor \"head.scale\""},
		"too few": {func(f file) { f["head.scale"] = filled("F32", 1, 3) },
			"\"head.scale\" has the shape [3], not [4]"},
		"too many": {func(f file) { f["head.scale"] = filled("F32", 1, 5) },
			"\"head.scale\" has the shape [5], not [4]"},
		"of two sides": {func(f file) { f["head.scale"] = filled("F32", 1, 4, 1) }, "shape [4 1]"},
		"whole numbers": {func(f file) { f["head.scale"] = filled("I8", 1, 4) },
			"\"head.scale\" has values of type I8"},
		"long floats": {func(f file) { f["head.scale"] = filled("F64", 1, 4) },
			"\"head.scale\" has values of type F64"},
		"too large": {func(f file) { f["head.scale"] = filled("F32", 1e38, 4) },
			"\"head.weight\" has values out of range"},
		"of no weights": {func(f file) { f["tail.scale"] = filled("F32", 1, 4) }, "unknown tensor \"tail.scale\""},
		"of other shape": {func(f file) { f["head.weight"] = filled("I8", 1, 4, 5, 3, 2) },
			"\"head.weight\" has the shape [4 5 3 2]"},
	} {
		t.Run(name, func(t *testing.T) {
			all := drawn(1, []int{4, 6}, 1)
			whole(all, "head")
			c.change(all)
			n, err := Read(marshal(t, all))
			if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), c.want) || n != nil {
				t.Errorf("error %v, which does not say %q", err, c.want)
			}
		})
	}
}

func TestReadRefusesOtherTensors(t *testing.T) {
	tensor := func(shape ...int) safetensors.Tensor { return filled(safetensors.F32, 0, shape...) }
	for name, c := range map[string]struct {
		change func(file)
		want   string
	}{
		"no head":      {func(f file) { delete(f, "head.weight") }, "head.weight"},
		"flat head":    {func(f file) { f["head.weight"] = tensor(4, 5) }, "4 dimensions"},
		"planes":       {func(f file) { f["head.weight"] = tensor(4, 8, 3, 3) }, "8 inputs"},
		"no planes":    {func(f file) { f["head.weight"] = tensor(4, 1, 3, 3) }, "1 inputs"},
		"many planes":  {func(f file) { f["head.weight"] = tensor(4, 69, 3, 3) }, "69 inputs"},
		"taps":         {func(f file) { f["head.weight"] = tensor(4, 5, 5, 5) }, "shape"},
		"tail":         {func(f file) { f["tail.weight"] = tensor(8, 4, 3, 3) }, "shape"},
		"no tail":      {func(f file) { delete(f, "tail.weight") }, "tail.weight"},
		"flat down":    {func(f file) { f["down.0.weight"] = tensor(24, 4) }, "dimensions"},
		"no down":      {func(f file) { delete(f, "down.0.weight") }, "shape"},
		"no up":        {func(f file) { delete(f, "up.0.weight") }, "up.0.weight"},
		"up":           {func(f file) { f["up.0.weight"] = tensor(4, 6, 2, 2) }, "shape"},
		"half a block": {func(f file) { delete(f, "enc.0.0.1.weight") }, "enc.0.0.1.weight"},
		"a gap": {func(f file) {
			f["body.2.0.weight"], f["body.2.1.weight"] = f["body.0.0.weight"],
				f["body.0.1.weight"]
		}, "unknown"},
		"a bias":   {func(f file) { f["head.bias"] = tensor(4) }, "unknown tensor \"head.bias\""},
		"a level":  {func(f file) { f["down.1.weight"] = tensor(5, 6, 2, 2) }, "up.1.weight"},
		"channels": {func(f file) { f["down.1.weight"] = tensor(1025, 6, 2, 2) }, "1025 channels"},
		"types": {func(f file) { v := f["up.0.weight"]; v.DType = safetensors.F64; f["up.0.weight"] = v },
			"F64"},
		"no tensors":    {func(f file) { clear(f) }, "head.weight"},
		"endless loops": {func(f file) { maps.Copy(f, drawn(1, []int{1, 1, 1, 1, 1, 1, 1}, 0)) }, "over 6 levels"},
	} {
		t.Run(name, func(t *testing.T) {
			all := drawn(1, []int{4, 6}, 1)
			c.change(all)
			_, err := Read(marshal(t, all))
			if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, which does not say %q", err, c.want)
			}
		})
	}
}

func TestReadRefusesDamage(t *testing.T) {
	data := marshal(t, drawn(1, []int{4, 6}, 1))
	for _, damaged := range [][]byte{nil, data[:7], data[:len(data)-1], append(slices.Clone(data), 0),
		make([]byte, maxFile+1)} {
		if _, err := Read(damaged); !errors.Is(err, ErrFormat) {
			t.Errorf("%d bytes: error %v", len(damaged), err)
		}
	}
	data[len(data)-1] ^= 1
	must.Fail(t, "a flipped bit", must.Err(Read(data)), ErrFormat)
}

// FuzzRead changes the names, types and shapes of tensors under a right checksum, and runs the networks that are left.
func FuzzRead(f *testing.F) {
	f.Add([]byte("any bytes"), []byte(""))
	f.Add(marshal(f, drawn(1, []int{1, 2}, 1)), []byte{0, 1, 2, 3})
	f.Add([]byte{}, []byte{3, 2, 9, 4, 0, 5, 1, 1, 3})
	f.Add([]byte{}, []byte{4, 4, 0, 6, 5, 9, 3, 5, 200})
	f.Fuzz(func(t *testing.T, data, changes []byte) {
		if _, err := Read(data); err != nil && !errors.Is(err, ErrFormat) {
			t.Errorf("error %v", err)
		}
		all := drawn(1, []int{1, 2}, 1)
		whole(all, "head")
		whole(all, "up.0")
		names := slices.Sorted(maps.Keys(all))
		for i := 0; i+2 < len(changes); i += 3 {
			name := names[int(changes[i])%len(names)]
			v := all[name]
			switch changes[i+1] % 6 {
			case 0:
				delete(all, name)
			case 1:
				all[names[int(changes[i+2])%len(names)]] = v
			case 2:
				v.Shape = slices.Clone(v.Shape)
				if v.Shape != nil {
					v.Shape[int(changes[i+2])%len(v.Shape)] = 1 + int(changes[i+2])/4
				}
				all[name] = filled(v.DType, 0, v.Shape...)
			case 3:
				v.DType = safetensors.F64
				all[name] = v
			case 4:
				v.DType = safetensors.I8
				all[name] = v
			case 5: // scales, or weights that are out of range with them
				v.Values = slices.Repeat([]float64{math.Ldexp(1, int(changes[i+2])-127)}, len(v.Values))
				all[name] = v
			}
		}
		data, err := safetensors.Marshal(safetensors.File{Tensors: all})
		if err != nil {
			return // values that the type has not
		}
		n, err := Read(data)
		if err != nil {
			if !errors.Is(err, ErrFormat) {
				t.Errorf("error %v", err)
			}
			return
		}
		image := noisy(n.planes, 3, 2)
		denoise(t, n, image, 3, 2, 1, 1)
	})
}
