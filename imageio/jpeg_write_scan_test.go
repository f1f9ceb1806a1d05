package imageio

import (
	"bufio"
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// TestJPEGWrittenByAnyWorkers checks that the bytes do not depend on the workers, also if the rows of units are more
// than those that are coded at a time.
func TestJPEGWrittenByAnyWorkers(t *testing.T) {
	for _, planes := range []int{1, 3, 4} {
		for _, size := range [][2]int{{1, 1}, {17, 9}, {40, 300}} {
			for s, o := range map[Subsampling]WriteOptions{Subsampling420: {}, Subsampling444: {}} {
				img := noise(size[0], size[1], planes, false, Depth8, 1)
				o.Format, o.Subsampling = JPEG, s
				var want []byte
				for _, workers := range []int{1, 2, 3, 50} {
					var got bytes.Buffer
					o.Workers = workers
					must.Do(t, Encode(&got, img, o))
					if want == nil {
						want = got.Bytes()
					} else if !bytes.Equal(got.Bytes(), want) {
						t.Errorf("%d planes of %v: %d workers write other bytes", planes, size, workers)
					}
				}
			}
		}
	}
}

// TestBitWriter compares parts that are put together with their bits, one by one.
func TestBitWriter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var file bitWriter
		var got bytes.Buffer
		to := bufio.NewWriter(&got)
		var each []byte // the bits
		for range rapid.IntRange(0, 4).Draw(t, "parts") {
			var part bitWriter
			for range rapid.IntRange(0, 12).Draw(t, "codes") {
				size := rapid.Uint8Range(0, 32).Draw(t, "size")
				v := uint32(uint64(rapid.Uint32().Draw(t, "bits")) & (1<<size - 1))
				if rapid.Bool().Draw(t, "ones") {
					v = uint32(uint64(1)<<size - 1)
				}
				part.put(v, size)
				for i := range size {
					each = append(each, byte(v>>(size-1-i)&1))
				}
			}
			file.add(&part)
			if rapid.Bool().Draw(t, "flush") {
				file.flush(to)
			}
		}
		file.end(to)
		_ = to.Flush()
		var want []byte
		for len(each)%8 != 0 {
			each = append(each, 1)
		}
		for i := 0; i < len(each); i += 8 {
			b := byte(0)
			for _, v := range each[i : i+8] {
				b = b<<1 | v
			}
			if want = append(want, b); b == 0xff {
				want = append(want, 0)
			}
		}
		if !bytes.Equal(got.Bytes(), want) {
			t.Fatalf("%x, want %x", got.Bytes(), want)
		}
	})
}
