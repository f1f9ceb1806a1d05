package train

import (
	"bytes"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
	"github.com/blorc-denoise/blorc-denoise/model"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// checkResume checks that a training which goes on from a checkpoint gives the same file.
func checkResume(t *testing.T, every int, print string, run func(*Trainer) (*model.Model, error)) {
	t.Helper()
	var checkpoints [][]byte
	save := &Trainer{SaveEvery: every,
		Save: func(data []byte) error { checkpoints = append(checkpoints, data); return nil }}
	must.Do(t, save.Resume(print, nil))
	want := must.Get(run(save))(t)
	resumed := &Trainer{}
	must.Do(t, resumed.Resume(print, checkpoints[len(checkpoints)/2]))
	got := must.Get(run(resumed))(t)
	sameFiles(t, "resumed", want, got)
}

// sameFiles checks that two models are the same bytes in a file.
func sameFiles(t *testing.T, what string, a, b *model.Model) {
	t.Helper()
	x, err1 := a.Marshal()
	y, err2 := b.Marshal()
	if err1 != nil || err2 != nil || !bytes.Equal(x, y) {
		t.Errorf("%s: the models differ (%v, %v)", what, err1, err2)
	}
}

// The same images in other groups, or as images for validation, are another training.
func TestFingerprintTellsGroups(t *testing.T) {
	images := make([]Pair, 3)
	for i := range images {
		images[i] = Pair{Clean: patchify.NewPlane(16, 16)}
		images[i].Clean.Pix[0] = float32(i)
	}
	seen := map[string]int{}
	for i, d := range []Data{
		{Groups: [][]Pair{images[:2], images[2:]}},
		{Groups: [][]Pair{images[:1], images[1:]}},
		{Groups: [][]Pair{images}},
		{Groups: [][]Pair{images[:2]}, Validation: images[2:]},
		{Groups: [][]Pair{images[:1]}, Validation: images[1:]},
	} {
		print := d.Fingerprint(nil)
		if j, ok := seen[print]; ok {
			t.Errorf("data %d and %d have one fingerprint", j, i)
		}
		seen[print] = i
	}
}
