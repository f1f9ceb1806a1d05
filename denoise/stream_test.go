package denoise

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

func encodedScene(t testing.TB) []byte {
	t.Helper()
	_, noisy := noisyScene(40, 30, 20)
	var b bytes.Buffer
	img := &imageio.Image{Width: 40, Height: 30, Planes: noisy, Depth: imageio.Depth8, Format: imageio.PNG}
	must.Do(t, imageio.Encode(&b, img, imageio.WriteOptions{}))
	return b.Bytes()
}

func TestStreamIsFile(t *testing.T) {
	data, dir := encodedScene(t), t.TempDir()
	in, out := filepath.Join(dir, "in.png"), filepath.Join(dir, "out.tif")
	must.Do(t, os.WriteFile(in, data, 0o666))
	to := imageio.WriteOptions{Format: imageio.TIFF}
	want := must.Get(File(context.Background(), in, out, FileOptions{Options: options(t), Write: to}))(t)
	var b bytes.Buffer
	got, err := Stream(context.Background(), &b, bytes.NewReader(data), FileOptions{Options: options(t), Write: to})
	file, _ := os.ReadFile(out)
	if err != nil || !reflect.DeepEqual(got, want) || !bytes.Equal(b.Bytes(), file) {
		t.Errorf("%+v and %d bytes, %v; want %+v and %d", got, b.Len(), err, want, len(file))
	}
}

func TestStreamWritesNothingOfWhatFails(t *testing.T) {
	data := encodedScene(t)
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for _, test := range []struct {
		ctx  context.Context
		data []byte
		want error
	}{{context.Background(), data[:len(data)/2], imageio.ErrFormat}, {context.Background(), nil, imageio.ErrFormat},
		{ended, data, context.Canceled}} {
		var b bytes.Buffer
		if _, err := Stream(test.ctx, &b, bytes.NewReader(test.data), FileOptions{Options: options(t)}); !errors.Is(err,
			test.want) || b.Len() > 0 {
			t.Errorf("%v after %d bytes, want %v", err, b.Len(), test.want)
		}
	}
}

func TestStreamStopsAtTheLimit(t *testing.T) {
	data := encodedScene(t)
	o := FileOptions{Options: options(t), Read: imageio.ReadOptions{MaxBytes: int64(len(data)) - 1}}
	must.Fail(t, "a byte more than the limit",
		must.Err(Stream(context.Background(), io.Discard, bytes.NewReader(data), o)), imageio.ErrLimit)
	o.Read.MaxBytes = math.MaxInt64
	if _, err := Stream(context.Background(), io.Discard, bytes.NewReader(data), o); err != nil {
		t.Errorf("without a limit: %v", err)
	}
}

func TestStreamReadsNothingWithBadOptions(t *testing.T) {
	in := bytes.NewReader(encodedScene(t))
	size := in.Len()
	if _, err := Stream(context.Background(), io.Discard, in, FileOptions{Options: Options{Keep: 2}}); !errors.Is(err,
		ErrArgument) || in.Len() != size {
		t.Errorf("%v, with %d of %d bytes left", err, in.Len(), size)
	}
}
