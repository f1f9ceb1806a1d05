package imageio

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// seeds returns small files of every kind.
func seeds(t testing.TB) map[Format][][]byte {
	s := map[Format][][]byte{}
	add := func(f Format, data []byte) { s[f] = append(s[f], data) }
	for _, d := range []Depth{Depth8, Depth16} {
		for _, alpha := range []bool{false, true} {
			add(PNG, encoded(t, noise(5, 4, 1, alpha, d, 1), WriteOptions{Format: PNG}))
			add(PNG, encoded(t, noise(5, 4, 3, alpha, d, 2), WriteOptions{Format: PNG}))
			add(TIFF, encoded(t, noise(5, 4, 3, alpha, d, 3), WriteOptions{}))
		}
	}
	add(PNG, buildPNG(3, 2, 8, pngPalette, 0, filterNone([]byte{1, 0, 1}, []byte{0, 1, 0}),
		chunk{"PLTE", []byte{255, 0, 0, 1, 2, 3}}, chunk{"tRNS", []byte{0}}))
	add(PNG, buildPNG(9, 9, 8, pngGray, 1, adam7(9, 9, func(x, y int) byte { return byte(x * y) }),
		chunk{"eXIf", exifBlock(be, 7)}))
	add(JPEG, buildJPEG(t, scene(17, 9)))
	add(JPEG, withExif(buildJPEG(t, scene(9, 17)), exifBlock(be, 6)))
	for _, name := range fixtures(t) {
		data := must.Get(os.ReadFile(name + ".jpg"))(t)
		add(JPEG, data)
	}
	add(TIFF, encoded(t, noise(4, 3, 1, true, DepthFloat32, 4), WriteOptions{}))
	gray := make([]byte, 16*16)
	for compression, data := range map[uint32][]byte{
		compressionDeflate: deflate(gray), compressionLZW: packLZW(gray),
		compressionPackBits: bytes.Repeat([]byte{0x81, 7}, 2),
	} {
		p := pixels(16, 16, blackIsZero, []uint32{8}, data).with(tagCompression, compression)
		add(TIFF, buildTIFF(be, p))
		p = p.with(tagTileWidth, 16).with(tagTileLength, 16)
		p.tiles = true
		add(TIFF, buildTIFF(le, p))
	}
	for f, file := range richFilesOf(t, 140) { // a long profile would take most of the damage
		add(f, file)
	}
	add(TIFF, encoded(t, asJPEG(smoothImage(20, 9, 3), [2]int{}, [2]int{1, 1}, [2]int{1, 1}, [2]int{1, 1}),
		WriteOptions{}))
	packed := noise(6, 5, 3, true, DepthFloat32, 5)
	packed.Meta = &Metadata{tiff: &tiffMeta{tiffForm: tiffForm{order: be, big: true},
		packing: packing{compressionDeflate, predictorHorizontal}}}
	add(TIFF, encoded(t, packed, WriteOptions{}))
	add(TIFF, buildTIFF(le, pixels(2, 1, palette, []uint32{8}, []byte{1, 0}).with(320, 1, 2, 3, 4, 5, 6)))
	for _, p := range rareTIFFs(t) {
		for _, file := range [][]byte{buildTIFF(le, p), buildTIFF(be, p.with(tagFillOrder, 2))} {
			if _, err := Decode(file, ReadOptions{}); err == nil {
				add(TIFF, file)
			}
		}
	}
	for _, file := range smallOthers(t) {
		f := must.Get(sniff(file))(t)
		add(f, file)
	}
	return s
}

// carried writes an image with its metadata in every format that can hold it, and reads the files again. Damaged
// metadata must neither crash the writer nor make a file that cannot be read.
func carried(img *Image) error {
	for _, f := range []Format{PNG, JPEG, TIFF} {
		o := WriteOptions{Format: f}
		if o.Check(img, 1) != nil {
			continue
		}
		var b bytes.Buffer
		if err := Encode(&b, img, o); err != nil {
			if kindName(err) == "other" {
				return err
			}
			continue
		}
		if _, err := Decode(b.Bytes(), ReadOptions{}); err != nil {
			return fmt.Errorf("%v written: %w", f, err)
		}
	}
	return nil
}

// sometimes calls carried for one image in eight, to save time.
func sometimes(i int, img *Image) error {
	if i%8 > 0 {
		return nil
	}
	return carried(img)
}

// refusedOrWhole decodes a file and checks that the image or the error is what Decode promises.
func refusedOrWhole(data []byte, o ReadOptions) (*Image, error) {
	img, err := Decode(data, o)
	if err != nil {
		if kindName(err) == "other" || strings.Contains(err.Error(), "\n") || err.Error() == "" {
			return nil, fmt.Errorf("an error of no kind, or not of one line: %q", err)
		}
		if strings.Contains(err.Error(), "its decoder failed") && !strings.Contains(err.Error(), "PNG") {
			return nil, fmt.Errorf("a decoder of this package panics: %w", err)
		}
		return nil, nil
	}
	if int64(img.Width)*int64(img.Height) > o.maxPixels() {
		return nil, fmt.Errorf("%d x %d pixels", img.Width, img.Height)
	}
	return img, img.check()
}

// mutations returns the number of damaged files of each format to try. BLORC_MUTATIONS sets it.
func mutations() int {
	if n, err := strconv.Atoi(os.Getenv("BLORC_MUTATIONS")); err == nil {
		return n
	}
	return 1000
}

// TestFaultF2Mutations decodes files with changed bytes, missing ends and repeated parts. The checksums of PNG detect
// most damage early, so they are repaired in every second file.
func TestFaultF2Mutations(t *testing.T) {
	r := rand.New(rand.NewPCG(20, 26))
	o := ReadOptions{MaxPixels: 1 << 16}
	n := mutations()
	for f, files := range seeds(t) {
		whole := 0
		start, worst := time.Now(), time.Duration(0)
		for i := range n {
			data := mutate(r, files[i%len(files)])
			if f == PNG && i%2 == 0 {
				repairPNG(data)
			}
			begin := time.Now()
			o.KeepDamaged = i%3 == 0
			img, err := refusedOrWhole(data, o)
			worst = max(worst, time.Since(begin))
			if err != nil {
				t.Fatalf("%v\n%x", err, data)
			}
			if img != nil {
				whole++
				if err := sometimes(i, img); err != nil {
					t.Fatalf("%v\n%x", err, data)
				}
			}
		}
		if whole == 0 || whole == n {
			t.Errorf("%v: %d of %d damaged files are read", f, whole, n)
		}
		if worst > 10*time.Second {
			t.Errorf("%v: a file takes %v", f, worst)
		}
		t.Logf("%v: %d damaged files, %d of them read, none crashed or hung; worst %v, all %v", f, n, whole, worst,
			time.Since(start))
	}
}

func mutate(r *rand.Rand, file []byte) []byte {
	data := bytes.Clone(file)
	for range 1 + r.IntN(4) {
		at := r.IntN(len(data))
		switch r.IntN(8) {
		case 0:
			data = data[:at+1]
		case 1:
			data = append(data, data[at:]...)
		case 2:
			data[at] = []byte{0, 0xff, 0x7f, 0x80, 1}[r.IntN(5)]
		case 3:
			data[at] ^= 1 << r.IntN(8)
		default:
			data[at] = byte(r.Uint32())
		}
	}
	return data
}

// repairPNG sets the checksum of every complete chunk.
func repairPNG(data []byte) {
	for at := len(pngSignature); at+12 <= len(data); {
		declared := be.Uint32(data[at:])
		if uint64(declared) > uint64(len(data)-at-12) {
			return
		}
		size := int(declared)
		var b bytes.Buffer
		writeChunk(&b, string(data[at+4:at+8]), data[at+8:at+8+size])
		at += copy(data[at:], b.Bytes())
	}
}

// TestFaultF2Truncations decodes the prefixes of every seed, a thousand of those that are long. A JPEG that lacks
// nothing but its end marker is the same picture.
func TestFaultF2Truncations(t *testing.T) {
	for f, files := range seeds(t) {
		for _, file := range files {
			step := 1 + len(file)/1000 // the profiles in some are long
			for n := 0; n < len(file); n += step {
				img, err := refusedOrWhole(file[:n], ReadOptions{})
				if err != nil {
					t.Fatalf("%v, %d of %d bytes: %v", f, n, len(file), err)
				}
				if img != nil && f == JPEG && len(img.Warnings) > 0 && same(img, decoded(t, file, ReadOptions{})) {
					continue
				}
				// the last bytes of a TIFF need not be pixels, and numbers may be shorter
				if img != nil && f != TIFF && f != PNM {
					t.Errorf("%v: %d of %d bytes are read as a whole", f, n, len(file))
				}
			}
		}
	}
}
