package level

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/safetensors"
)

// testFile holds random networks for both numbers of planes.
func testFile() safetensors.File {
	r := rand.New(rand.NewPCG(5, 6))
	f := safetensors.File{Tensors: map[string]safetensors.Tensor{}}
	add := func(name string, shape ...int) {
		n := 1
		for _, s := range shape {
			n *= s
		}
		t := safetensors.Tensor{DType: safetensors.F32, Shape: shape}
		for range n {
			t.Values = append(t.Values, float64(float32(r.NormFloat64())))
		}
		f.Tensors[name] = t
	}
	for prefix, inputs := range map[string]int{"gray.": 6, "colour.": 9} {
		add(prefix+"mean", inputs)
		add(prefix+"scale", inputs)
		add(prefix+"hidden", 3, 4, inputs)
		add(prefix+"bias", 3, 4)
		add(prefix+"output", 3, 4)
		add(prefix+"linear", 3, inputs)
		add(prefix+"offset", 3)
	}
	return f
}

func TestPredictIsTheMeanOfTheMembers(t *testing.T) {
	f := testFile()
	data, err := safetensors.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	both, err := readNetworks(data)
	if err != nil {
		t.Fatal(err)
	}
	inputs := []float64{1, -2, 3, 0.5, 0, -1}
	at := func(name string, i int) float64 { return f.Tensors["gray."+name].Values[i] }
	want := 0.0
	for m := range 3 {
		v := at("offset", m)
		for h := range 4 {
			unit := at("bias", 4*m+h)
			for i, x := range inputs {
				unit += at("hidden", (4*m+h)*6+i) * standard(x, at("mean", i), at("scale", i))
			}
			v += max(unit, 0) * at("output", 4*m+h)
		}
		for i, x := range inputs {
			v += at("linear", 6*m+i) * standard(x, at("mean", i), at("scale", i))
		}
		want += v / 3
	}
	if got := both[1].predict(inputs); math.Abs(got-want) > 1e-4 {
		t.Errorf("%g, want %g", got, want)
	}
}

func standard(x, mean, scale float64) float64 { return min(max((x-mean)*scale, -reach), reach) }

// A file that lacks a tensor, or has one of another size, is refused.
func TestNetworksOfWrongSizesAreRefused(t *testing.T) {
	for name := range testFile().Tensors {
		short, without := testFile(), testFile()
		delete(without.Tensors, name)
		x := short.Tensors[name]
		x.Shape, x.Values = []int{len(x.Values) + 1}, append(x.Values, 0)
		short.Tensors[name] = x
		for _, f := range []safetensors.File{short, without} {
			data, err := safetensors.Marshal(f)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := readNetworks(data); err == nil {
				t.Errorf("%s is wrong, and no error", name)
			}
		}
	}
}
