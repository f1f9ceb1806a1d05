package imageio

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// TestJPEGWorkers checks that samples, warnings and errors are the same whether samples are computed beside the reading
// or not, also for damaged files.
func TestJPEGWorkers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(1, 150).Draw(t, "width"), rapid.IntRange(20, 200).Draw(t, "height")
		s := rapid.SampledFrom([]Subsampling{Subsampling420, Subsampling444}).Draw(t, "subsampling")
		img := photograph(w, h)
		if rapid.Bool().Draw(t, "gray") {
			img.Planes = img.Planes[:1]
		}
		var b bytes.Buffer
		must.Do(t, Encode(&b, img, WriteOptions{Quality: 92, Subsampling: s}))
		file := b.Bytes()
		if at := bytes.Index(file, []byte{0xff, markerSOF0}); len(img.Planes) == 1 {
			// which mean nothing for one component
			file[at+11] = rapid.SampledFrom([]byte{0x11, 0x22, 0x14, 0x31}).Draw(t, "factors")
		}
		if rapid.Bool().Draw(t, "damaged") {
			file[rapid.IntRange(len(file)/2, len(file)-1).Draw(t, "at")] ^= byte(rapid.IntRange(1, 255).Draw(t, "bits"))
		}
		sameForWorkers(t, file)
	})
}

// TestJPEGSecondScan checks that the samples of a second scan replace those of the first one.
func TestJPEGSecondScan(t *testing.T) {
	list := [2][]byte{}
	for i := range list {
		img := photograph(90, 70+i)
		if i == 1 {
			for _, p := range img.Planes {
				slices.Reverse(p)
			}
		}
		list[i] = encoded(t, img, WriteOptions{Quality: 92})
	}
	first, second := list[0], list[1]
	second = bytes.Replace(second, []byte{0, 71, 0, 90}, []byte{0, 70, 0, 90}, 1) // its last rows are padding
	scan := second[bytes.Index(second, []byte{0xff, markerSOS}):]
	both := append(first[:len(first)-2:len(first)-2], scan...)
	sameForWorkers(t, both)
	if !same(decoded(t, both, ReadOptions{Workers: 2}), decoded(t, second, ReadOptions{Workers: 1})) {
		t.Error("other samples than those of the second scan")
	}
}

// TestJPEGWorkersOfFixtures does the same for files with restart markers, several scans, four components and other
// factors.
func TestJPEGWorkersOfFixtures(t *testing.T) {
	for _, name := range fixtures(t) {
		file := must.Get(os.ReadFile(name + ".jpg"))(t)
		sameForWorkers(t, file)
	}
}

func sameForWorkers(t rapid.TB, file []byte) {
	want, wrong := Decode(file, ReadOptions{Workers: 1})
	for _, workers := range []int{2, 3} {
		got, err := Decode(file, ReadOptions{Workers: workers})
		if fmt.Sprint(err) != fmt.Sprint(wrong) {
			t.Fatalf("%d workers: error %v, want %v", workers, err, wrong)
		}
		if wrong == nil && (!same(got, want) || !slices.Equal(got.Warnings, want.Warnings)) {
			t.Fatalf("%d workers: other samples", workers)
		}
	}
}
