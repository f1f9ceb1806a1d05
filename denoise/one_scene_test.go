package denoise

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// A file tells whether its pages show one scene, unless that is used already.
func TestOneScene(t *testing.T) {
	const w, h = 128, 96
	_, related := panSeries(4, w, h, 15, pan)
	far := func(i int) (x, y float64) { return float64(1000 * i), float64(3000 * i * i) }
	_, unrelated := panSeries(4, w, h, 15, far)
	_, noise := panSeries(4, w, h, 15, pan)
	for _, p := range noise {
		clear(p)
	}
	for _, test := range []struct {
		name  string
		pages [][]float32
		axis  string
		o     Options
		want  bool
	}{
		{"one scene", related, "frames", Options{}, true},
		{"together", related, "frames", Options{Together: true}, false},
		{"in depth", related, "slices", Options{}, false},
		{"no axis", related, "", Options{}, false},
		{"several scenes", unrelated, "frames", Options{}, false},
		{"two pages", related[:2], "frames", Options{}, false},
		{"nothing", noise, "frames", Options{}, false},
	} {
		test.o.Noise, test.o.Sigma = Gaussian, 15
		file := stackFile(t, test.pages, w, h, imageio.Depth8)
		if test.axis != "" {
			file = described(file, fmt.Sprintf("ImageJ=1.53\nimages=%d\n%s=%[1]d\n", len(test.pages), test.axis))
		}
		if _, r := streamed(t, file, FileOptions{Options: test.o}); r.OneScene != test.want {
			t.Errorf("%s: %v", test.name, r.OneScene)
		}
	}
}

// described returns a TIFF file with an image description: its first directory, with one tag more, goes to the end.
func described(file []byte, text string) []byte {
	order := binary.LittleEndian
	if file[0] == 'M' {
		panic("a file of the other byte order")
	}
	at := order.Uint32(file[4:])
	tags := order.Uint16(file[at:])
	table := bytes.Clone(file[at+2:][:12*int(tags)+4])
	out := append(bytes.Clone(file), text+"\x00"...)
	out = append(out, make([]byte, len(out)%2)...)
	order.PutUint32(out[4:], uint32(len(out)))
	out = order.AppendUint16(out, tags+1)
	out = order.AppendUint16(order.AppendUint16(out, 270), 2)
	out = order.AppendUint32(order.AppendUint32(out, uint32(len(text)+1)), uint32(len(file)))
	return append(out, table...)
}
