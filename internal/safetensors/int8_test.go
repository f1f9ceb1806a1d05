package safetensors

import (
	"slices"
	"testing"
)

func TestWholeNumbersComeBack(t *testing.T) {
	want := []float64{-128, -1, 0, 1, 127}
	data, err := Marshal(File{Tensors: map[string]Tensor{"w": {I8, []int{5}, want}}})
	if err != nil {
		t.Fatal(err)
	}
	f, err := Unmarshal(data)
	if err != nil || !slices.Equal(f.Tensors["w"].Values, want) {
		t.Errorf("%v, %v", f.Tensors["w"], err)
	}
	for _, v := range []float64{0.5, 128, -129} {
		if _, err := Marshal(File{Tensors: map[string]Tensor{"w": {I8, []int{1}, []float64{v}}}}); err == nil {
			t.Errorf("%g was written as a number of 8 bits", v)
		}
	}
}
