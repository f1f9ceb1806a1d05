package stage

import (
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
	"github.com/blorc-denoise/blorc-denoise/internal/safetensors"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
)

// file returns the bytes of a file that holds only stages.
func file(t testing.TB, q Sequence) []byte {
	t.Helper()
	f := safetensors.File{Tensors: map[string]safetensors.Tensor{}, Metadata: map[string]string{}}
	var err error
	if f.Metadata["stages"], err = q.Encode(f.Tensors, ""); err != nil {
		t.Fatal(err)
	}
	return must.Get(safetensors.Marshal(f))(t)
}

func fromFile(t testing.TB, data []byte) (Sequence, error) {
	t.Helper()
	f := must.Get(safetensors.Unmarshal(data))(t)
	return Decode(f.Metadata["stages"], f.Tensors, "")
}

// reread returns the file of a sequence and the sequence read from that file.
func reread(t testing.TB, q Sequence) ([]byte, Sequence) {
	t.Helper()
	data := file(t, q)
	again := must.Get(fromFile(t, data))(t)
	return data, again
}

// TestLocalIsLimited checks that a small file cannot ask for many large matrices.
func TestLocalIsLimited(t *testing.T) {
	s := solve.Schedule{Iterations: 10_000, RhoStart: 0.5, RhoEnd: 8, Ramp: 10_000, Relaxation: 1.5}
	for _, c := range []struct {
		rows int
		fits bool
	}{{63, true}, {511, false}, {512, true}} { // with 512 rows there are no matrices for each rho
		_, err := NewLocal(16, s, []solve.Transform{solve.NewTransform(c.rows, 256)}, nil)
		if (err == nil) != c.fits {
			t.Errorf("%d rows: %v", c.rows, err)
		}
	}
}
