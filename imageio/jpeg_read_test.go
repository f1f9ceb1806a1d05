package imageio

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// fixtures returns the names of the JPEG files in testdata, without extension.
func fixtures(t testing.TB) []string {
	t.Helper()
	list, err := filepath.Glob("testdata/jpeg/*.jpg")
	if err != nil || len(list) < 10 {
		t.Fatalf("%d files, %v", len(list), err)
	}
	for i, name := range list {
		list[i] = strings.TrimSuffix(name, ".jpg")
	}
	return list
}

// TestJPEGFixtures checks that files decode to exactly the samples of libjpeg-turbo.
func TestJPEGFixtures(t *testing.T) {
	for _, name := range fixtures(t) {
		got := must.Get(Read(name+".jpg", ReadOptions{}))(t)
		want := must.Get(Read(name+".png", ReadOptions{}))(t)
		if !same(got, want) {
			t.Errorf("%s: other samples", name)
		}
	}
}

// TestIDCTIsNearlyExact compares the inverse DCT with the definition (T.81, section A.3.3) in float64.
func TestIDCTIsNearlyExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	other, n := 0, 0
	for i := range 2000 {
		var b jpegBlock
		var steps [64]int32
		for j := range b {
			steps[j] = 1 + rng.Int32N(20)
			if rng.IntN(64) < i%64 {
				b[j] = int16(rng.NormFloat64() * 60 / float64(steps[j]))
			}
		}
		if i%5 == 0 { // all rows are equal
			clear(b[8:])
		}
		var got [64]byte
		inverseDCT(got[:], 8, &b, &steps)
		for j, v := range got {
			want := exactSample(&b, &steps, j%8, j/8)
			if d := math.Abs(float64(v) - want); d > 0.6 {
				t.Fatalf("sample %d is %d, want %g", j, v, want)
			}
			if float64(v) != math.Floor(want+0.5) {
				other++
			}
			n++
		}
	}
	if other > n/20 {
		t.Errorf("%d of %d samples are not rounded to the nearest", other, n)
	}
}

// exactSample returns sample (x, y) of a block, clipped but not rounded.
func exactSample(b *jpegBlock, steps *[64]int32, x, y int) float64 {
	sum := 128.0
	for i, c := range b {
		if c == 0 {
			continue
		}
		u, v := i%8, i/8
		scale := 0.25
		for _, f := range []int{u, v} {
			if f == 0 {
				scale *= math.Sqrt2 / 2
			}
		}
		sum += scale * float64(c) * float64(steps[i]) * math.Cos(float64((2*x+1)*u)*math.Pi/16) *
			math.Cos(float64((2*y+1)*v)*math.Pi/16)
	}
	return min(max(sum, 0), 255)
}

// TestUpsampling compares the enlarged rows of random components of all small sizes with the weights of the triangle
// filter in float64. The difference is the rounding.
func TestUpsampling(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	for _, f := range [][2]int{{1, 1}, {2, 1}, {1, 2}, {2, 2}, {4, 1}, {1, 4}, {4, 2}, {3, 3}} {
		for w := 1; w <= 19; w++ {
			for h := 1; h <= 9; h++ {
				c := jpegComponent{right: f[0], down: f[1], width: (w + f[0] - 1) / f[0], height: (h + f[1] - 1) / f[1]}
				c.stride = c.width + 3 // samples past the width must not be used
				c.samples = make([]byte, c.stride*(c.height+2))
				for i := range c.samples {
					c.samples[i] = byte(rng.Uint32())
				}
				buf := make([]byte, w+4)
				for y := range h {
					for x, v := range c.row(y, w, buf) {
						want := triangle(&c, x, y)
						if d := float64(v) - want; d < -0.5 || d > 0.5 {
							t.Fatalf("factors %v, %d x %d: sample (%d, %d) is %d, want %g", f, w, h, x, y, v, want)
						}
					}
				}
			}
		}
	}
}

// triangle returns sample (x, y) of an enlarged component.
func triangle(c *jpegComponent, x, y int) float64 {
	at := func(x, y int) float64 {
		return float64(c.samples[min(max(y, 0), c.height-1)*c.stride+min(max(x, 0), c.width-1)])
	}
	smooth := c.right <= 2 && c.down <= 2 && (c.right == 1 || c.width > 2)
	if !smooth {
		return at(x/c.right, y/c.down)
	}
	weights := func(at, factor int) [3]float64 { // of the sample before, the nearest and the one after
		switch {
		case factor == 1:
			return [3]float64{0, 1, 0}
		case at%2 == 0:
			return [3]float64{0.25, 0.75, 0}
		}
		return [3]float64{0, 0.75, 0.25}
	}
	sum := 0.0
	for i, across := range weights(x, c.right) {
		for j, down := range weights(y, c.down) {
			sum += across * down * at(x/c.right+i-1, y/c.down+j-1)
		}
	}
	return sum
}

// TestJPEGAgainstDefinition codes random coefficients and compares the pixels with a decoder in float64 that follows
// the definitions: exact inverse DCT, triangle filter and JFIF colours. It rounds where the decoder does. The inverse
// DCT of the decoder may round the other way. If it does for luma and chroma, a colour changes by 1 + 1.772 levels,
// rounded to 3.
func TestJPEGAgainstDefinition(t *testing.T) {
	for _, factors := range [][][2]int{{{1, 1}, {1, 1}, {1, 1}}, {{2, 1}, {1, 1}, {1, 1}}, {{1, 2}, {1, 1}, {1, 1}},
		{{2, 2}, {1, 1}, {1, 1}},
		{{4, 1}, {1, 1}, {1, 1}}, {{4, 2}, {1, 1}, {1, 1}}, {{2, 2}, {2, 1}, {1, 2}}, {{1, 1}, {2, 2}, {2, 1}}} {
		for _, size := range [][2]int{{1, 1}, {16, 16}, {33, 19}, {50, 41}} {
			t.Run(fmt.Sprint(factors, size), func(t *testing.T) { againstDefinition(t, factors, size[0], size[1]) })
		}
	}
}

func againstDefinition(t *testing.T, factors [][2]int, w, h int) {
	luma, color := quantOf(&typicalLuma, 90), quantOf(&typicalChroma, 90)
	c := jpegCoding{factors: factors, tables: []*quantTable{luma, color, color}}
	var file bytes.Buffer
	b := bufio.NewWriter(&file)
	b.Write([]byte{0xff, markerSOI})
	c.writeTables(b, &Image{Width: w, Height: h})
	components := randomScan(&c, b, w, h)
	b.Write([]byte{0xff, markerEOI})
	b.Flush()

	img := decoded(t, file.Bytes(), ReadOptions{})
	other := 0
	for i := range w * h {
		x, y := i%w, i/w
		var s [3]float64
		for c := range components {
			s[c] = components[c].pixel(x, y)
		}
		for c, want := range []float64{s[0] + 1.402*(s[2]-128), s[0] - 0.344136*(s[1]-128) - 0.714136*(s[2]-128),
			s[0] + 1.772*(s[1]-128)} {
			want = math.Floor(min(max(want, 0), 255) + 0.5)
			got := float64(quantise(img.Planes[c][i], 255))
			if math.Abs(got-want) > 3 {
				t.Fatalf("pixel (%d, %d), channel %d is %g, want %g", x, y, c, got, want)
			}
			if got != want {
				other++
			}
		}
	}
	if limit := 3*w*h/25 + 3; other > limit {
		t.Errorf("%d of %d samples differ", other, 3*w*h)
	}
}

// randomScan writes a scan of random coefficients and returns the samples that they mean.
func randomScan(e *jpegCoding, to *bufio.Writer, w, h int) []definedComponent {
	rng := rand.New(rand.NewPCG(uint64(w), uint64(h)))
	var bits bitWriter
	var last [4]int16
	codes := huffmanCodes()
	right, down := e.most()
	across, rows := (w+8*right-1)/(8*right), (h+8*down-1)/(8*down)
	list := make([]definedComponent, len(e.factors))
	for i, f := range e.factors {
		c := &list[i]
		c.right, c.down = right/f[0], down/f[1]
		c.width, c.height = (w*f[0]+right-1)/right, (h*f[1]+down-1)/down
		c.stride = 8 * across * f[0]
		c.samples = make([]byte, c.stride*8*rows*f[1])
	}
	for unit := range across * rows {
		for i, f := range e.factors {
			for b := range f[0] * f[1] {
				x, y := unit%across*f[0]+b%f[0], unit/across*f[1]+b/f[0]
				var coded codedBlock
				coded.coefficients[0] = int16(rng.NormFloat64() * 400 / float64(e.tables[i][0]))
				for k := 1; k < 64; k++ {
					if rng.IntN(8) == 0 {
						coded.coefficients[k] = int16(rng.NormFloat64() * 40 / float64(e.tables[i][k]))
					}
					if coded.coefficients[k] != 0 {
						coded.others |= 1 << k
					}
				}
				coded.code(&bits, codes[2*e.codesOf(i)], codes[2*e.codesOf(i)+1], last[i])
				last[i] = coded.coefficients[0]
				list[i].put(x, y, coded.coefficients, e.tables[i])
			}
		}
	}
	bits.end(to)
	return list
}

// definedComponent is a component whose samples are computed in float64 and rounded to the nearest.
type definedComponent struct{ jpegComponent }

func (c *definedComponent) put(bx, by int, coded [64]int16, table *quantTable) {
	var b jpegBlock
	var steps [64]int32
	for k, at := range zigzag {
		b[at], steps[at] = coded[k], int32(table[k])
	}
	for i := range 64 {
		c.samples[(8*by+i/8)*c.stride+8*bx+i%8] = byte(math.Floor(exactSample(&b, &steps, i%8, i/8) + 0.5))
	}
}

// pixel returns sample (x, y) of the enlarged component, rounded with the bias that libjpeg documents.
func (c *definedComponent) pixel(x, y int) float64 {
	v := triangle(&c.jpegComponent, x, y)
	bias := 0.5
	switch {
	case c.right == 2 && c.down == 2 && x%2 == 1:
		bias = 7.0 / 16
	case c.right == 2 && c.down == 1 && x%2 == 0, c.right == 1 && c.down == 2 && y%2 == 0:
		bias = 0.25
	}
	return math.Floor(v + bias)
}

// TestJPEGSameOnAnyProcessors checks that the samples do not depend on the number of processors.
func TestJPEGSameOnAnyProcessors(t *testing.T) {
	for _, name := range fixtures(t) {
		data := must.Get(os.ReadFile(name + ".jpg"))(t)
		var list []*Image
		for _, n := range []int{1, 2, 7} {
			withProcessors(n, func() { list = append(list, decoded(t, data, ReadOptions{})) })
		}
		if !same(list[0], list[1]) || !same(list[0], list[2]) {
			t.Errorf("%s: other samples", name)
		}
	}
}

// TestBadScans damages headers of scans and tables. Each file must be refused by a reason.
func TestBadScans(t *testing.T) {
	read := func(name string) []byte {
		return must.Get(os.ReadFile("testdata/jpeg/" + name + ".jpg"))(t)
	}
	change := func(file []byte, marker byte, at int, v byte) []byte {
		i := bytes.Index(file, []byte{0xff, marker})
		file = bytes.Clone(file)
		file[i+4+at] = v
		return file
	}
	without := func(file []byte, marker byte) []byte {
		for {
			i := bytes.Index(file, []byte{0xff, marker})
			if i < 0 {
				return file
			}
			size := int(be.Uint16(file[i+2:]))
			file = append(bytes.Clone(file[:i]), file[i+2+size:]...)
		}
	}
	colour, progressive, restart := read("420"), read("420-progressive"), read("422")
	sof := bytes.Index(colour, []byte{0xff, markerSOF0})
	frame := colour[sof : sof+2+int(be.Uint16(colour[sof+2:]))]
	sos := bytes.Index(colour, []byte{0xff, markerSOS})
	rst := bytes.Index(restart, []byte{0xff, markerRST0})
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"two frames": {append(bytes.Clone(colour[:sos]), append(bytes.Clone(frame), colour[sos:]...)...),
			"damaged JPEG: more than one frame header"},
		"scan before the frame": {append(append(bytes.Clone(colour[:sof]), colour[sos:len(colour)-2]...),
			colour[sof:]...), "damaged JPEG: a scan before the frame header"},
		"empty second frame": {append(bytes.Clone(colour[:sos]),
			append([]byte{0xff, markerSOF0, 0, 2}, colour[sos:]...)...), "damaged JPEG: more than one frame header"},
		"factor 0": {change(colour, markerSOF0, 7, 0x02), "damaged JPEG: bad component 1"},
		"factor 5": {change(colour, markerSOF0, 7, 0x51), "damaged JPEG: bad component 1"},
		"factors 3 and 2": {change(change(colour, markerSOF0, 7, 0x31), markerSOF0, 10, 0x21),
			"JPEG with sampling factors 2 x 1 of 3 x 1 is not supported"},
		"equal names":             {change(colour, markerSOF0, 9, 1), "damaged JPEG: two components of one name"},
		"quantisation table 4":    {change(colour, markerSOF0, 8, 4), "damaged JPEG: bad component 1"},
		"no quantisation table":   {without(colour, markerDQT), "damaged JPEG: no quantisation table"},
		"quantisation of 24 bits": {change(colour, markerDQT, 0, 0x20), "damaged JPEG: bad quantisation table"},
		"too many codes":          {change(colour, markerDHT, 1, 255), "damaged JPEG: bad Huffman table"},
		"Huffman table 5":         {change(colour, markerDHT, 0, 5), "damaged JPEG: bad Huffman table"},
		"codes that are no prefix": {change(change(colour, markerDHT, 1, 3), markerDHT, 3, 1),
			"damaged JPEG: bad Huffman table"},
		"segment of no length": {change(change(colour, markerDHT, -2, 0), markerDHT, -1, 1),
			"damaged JPEG: short segment"},
		"odd conditions": {slices.Concat(colour[:sos], []byte{0xff, markerDAC, 0, 3, 0}, colour[sos:]),
			"damaged JPEG: bad arithmetic table"},
		"too short before a restart": {slices.Concat(restart[:rst-20], restart[rst:]),
			"damaged JPEG: a scan ends too early"},
		"no components": {change(colour, markerSOS, 0, 0), "damaged JPEG: bad scan header"},
		"component twice": {change(colour, markerSOS, 3, 1),
			"damaged JPEG: a scan with the same component twice"},
		"unknown component":     {change(colour, markerSOS, 3, 9), "damaged JPEG: a scan of an unknown component"},
		"unknown Huffman table": {change(colour, markerSOS, 2, 0x33), "damaged JPEG: a scan without Huffman tables"},
		"units of 18 blocks": {change(change(colour, markerSOF0, 7, 0x44), markerSOF0, 10, 0x11),
			"damaged JPEG: a scan with units of 18 blocks"},
		"range of coefficients": {change(progressive, markerSOS, 8, 5), "damaged JPEG: bad progressive scan"},
		"wrong restart marker": {func() []byte { f := bytes.Clone(restart); f[rst+1]++; return f }(),
			"damaged JPEG: bad restart marker"},
		"no scan": {append(bytes.Clone(colour[:sos]), 0xff, markerEOI),
			"damaged JPEG: no scan of component 1"},
		"no data": {append(bytes.Clone(colour[:sos+14]), 0xff, markerEOI),
			"damaged JPEG: a scan ends too early"},
		"no end":                 {colour[:len(colour)-12], "damaged JPEG: unexpected EOF"},
		"short restart interval": {change(restart, markerDRI, -1, 3), "damaged JPEG: restart interval of 1 bytes"},
	} {
		if _, err := Decode(c.file, ReadOptions{}); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	if _, err := Decode(colour[:len(colour)-12], ReadOptions{}); !errors.Is(err, ErrPartial) ||
		!errors.Is(err, ErrFormat) {
		t.Errorf("a file of which a part can be kept: %v", err)
	}
	if _, err := Decode(colour[:sos], ReadOptions{}); errors.Is(err, ErrPartial) {
		t.Errorf("nothing can be kept of a file without a scan: %v", err)
	}
	// Files without Huffman tables use those of annex K, as Motion JPEG does.
	plain := encoded(t, photograph(20, 10), WriteOptions{})
	if !same(decoded(t, without(plain, markerDHT), ReadOptions{}), decoded(t, plain, ReadOptions{})) {
		t.Error("the standard Huffman tables are not used")
	}
}
