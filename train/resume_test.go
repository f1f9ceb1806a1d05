package train

import (
	"bytes"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/model"
)

// checkResume checks that a training which goes on from a checkpoint gives the same file.
func checkResume(t *testing.T, every int, print string, run func(*Trainer) (*model.Model, error)) {
	t.Helper()
	var checkpoints [][]byte
	save := &Trainer{SaveEvery: every, Save: func(data []byte) error { checkpoints = append(checkpoints, data); return nil }}
	if err := save.Resume(print, nil); err != nil {
		t.Fatal(err)
	}
	want, err := run(save)
	if err != nil {
		t.Fatal(err)
	}
	resumed := &Trainer{}
	if err := resumed.Resume(print, checkpoints[len(checkpoints)/2]); err != nil {
		t.Fatal(err)
	}
	got, err := run(resumed)
	if err != nil {
		t.Fatal(err)
	}
	a, err1 := want.Marshal()
	b, err2 := got.Marshal()
	if err1 != nil || err2 != nil || !bytes.Equal(a, b) {
		t.Errorf("the resumed model differs (%v, %v)", err1, err2)
	}
}
