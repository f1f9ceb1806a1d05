package imageio

import (
	"bytes"
	"errors"
	"image"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// TestBadInput calls the exported functions with input that a careless caller may pass. None may panic, and each must
// return an error of a documented kind.
func TestBadInput(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out.png")
	good := noise(2, 2, 1, false, Depth8, 1)
	good.Format = PNG
	page := func(img *Image) func(int) (*Image, error) { return func(int) (*Image, error) { return img, nil } }
	edit := func(f func(*Image)) *Image { img := *good; f(&img); return &img }
	reader := func(img *Image) *Reader {
		return must.Get(NewReader(encoded(t, img, WriteOptions{Format: TIFF}), ReadOptions{}))(t)
	}
	closed := reader(good)
	closed.Close()

	bad := map[string]struct {
		img  *Image
		o    WriteOptions
		kind error
	}{
		"nil image":  {nil, WriteOptions{}, ErrArgument},
		"zero image": {&Image{}, WriteOptions{Format: PNG}, ErrFormat},
		"0 x 0": {edit(func(m *Image) { m.Width, m.Height, m.Planes = 0, 0, [][]float32{{}} }),
			WriteOptions{}, ErrFormat},
		"negative sides": {edit(func(m *Image) { m.Width, m.Height = -2, -2 }), WriteOptions{}, ErrFormat},
		"overflow": {edit(func(m *Image) { m.Width, m.Height = math.MaxInt, math.MaxInt }), WriteOptions{},
			ErrFormat},
		"overflow to 0": {edit(func(m *Image) { m.Width, m.Height, m.Planes = 1<<30, 1<<30, [][]float32{nil} }),
			WriteOptions{}, ErrFormat},
		"short plane": {edit(func(m *Image) { m.Planes = [][]float32{{1}} }), WriteOptions{}, ErrFormat},
		"nil plane":   {edit(func(m *Image) { m.Planes = [][]float32{nil} }), WriteOptions{}, ErrFormat},
		"no planes":   {edit(func(m *Image) { m.Planes = nil }), WriteOptions{}, ErrFormat},
		"five planes": {edit(func(m *Image) { m.Planes = make([][]float32, 5) }), WriteOptions{}, ErrFormat},
		"many extra planes": {edit(func(m *Image) { m.Extra = make([][]float32, maxSamples+1) }),
			WriteOptions{}, ErrLimit},
		"short alpha":      {edit(func(m *Image) { m.Alpha = []float32{1} }), WriteOptions{}, ErrFormat},
		"odd depth":        {edit(func(m *Image) { m.Depth = -8 }), WriteOptions{}, ErrUnsupported},
		"odd format":       {edit(func(m *Image) { m.Format = -1 }), WriteOptions{}, ErrUnsupported},
		"format asked for": {good, WriteOptions{Format: 99}, ErrUnsupported},
		"quality":          {good, WriteOptions{Quality: -1}, ErrArgument},
		"subsampling":      {good, WriteOptions{Format: JPEG, Subsampling: 99}, ErrArgument},
		"no subsampling":   {good, WriteOptions{Format: JPEG, Subsampling: -1}, ErrArgument},
		"white":            {good, WriteOptions{White: math.Inf(1)}, ErrArgument},
		"negative white":   {good, WriteOptions{White: -1}, ErrArgument},
		"NaN": {edit(func(m *Image) { m.Planes = [][]float32{{0, 0, 0, float32(math.NaN())}} }),
			WriteOptions{}, ErrFormat},
		"alpha in a JPEG": {edit(func(m *Image) { m.Alpha = m.Planes[0] }), WriteOptions{Format: JPEG},
			ErrUnsupported},
		"JPEG of too wide": {&Image{Width: 70000, Height: 1, Planes: [][]float32{make([]float32, 70000)}, Depth: Depth8,
			Format: JPEG}, WriteOptions{}, ErrUnsupported},
		"floats in a PNG": {edit(func(m *Image) { m.Depth = DepthFloat32 }), WriteOptions{}, ErrUnsupported},
		"floats in a JPEG": {edit(func(m *Image) { m.Depth = DepthFloat32 }), WriteOptions{Format: JPEG},
			ErrUnsupported},
		"four inks, PNG": {edit(func(m *Image) {
			m.Planes = [][]float32{m.Planes[0], m.Planes[0], m.Planes[0], m.Planes[0]}
		}), WriteOptions{}, ErrUnsupported},
	}
	type call struct {
		name string
		kind error
		f    func() error
	}
	var calls []call
	add := func(name string, kind error, f func() error) { calls = append(calls, call{name, kind, f}) }
	for name, c := range bad {
		add("Encode: "+name, c.kind, func() error { return Encode(&bytes.Buffer{}, c.img, c.o) })
		add("EncodePages: "+name, c.kind, func() error { return EncodePages(&bytes.Buffer{}, 1, c.o, page(c.img)) })
		add("Write: "+name, c.kind, func() error { return Write(path, c.img, c.o) })
		add("WritePages: "+name, c.kind, func() error { return WritePages(path, 1, c.o, page(c.img)) })
		add("Check: "+name, c.kind, func() error { return c.o.Check(c.img, 1) })
	}
	for _, n := range []int{0, -1, math.MinInt} {
		add("EncodePages: no pages", ErrArgument, func() error {
			return EncodePages(&bytes.Buffer{}, n, WriteOptions{}, page(good))
		})
		add("WritePages: no pages", ErrArgument, func() error {
			return WritePages(path, n, WriteOptions{}, page(good))
		})
		add("Check: no pages", ErrArgument, func() error { return WriteOptions{}.Check(good, n) })
	}
	add("Encode: nil writer", ErrArgument, func() error { return Encode(nil, good, WriteOptions{}) })
	add("EncodePages: nil writer", ErrArgument, func() error { return EncodePages(nil, 1, WriteOptions{}, page(good)) })
	add("EncodePages: nil function", ErrArgument, func() error {
		return EncodePages(&bytes.Buffer{}, 1, WriteOptions{}, nil)
	})
	add("WritePages: nil function", ErrArgument, func() error { return WritePages(path, 1, WriteOptions{}, nil) })
	add("WriteFileAtomic: nil function", ErrArgument, func() error { return WriteFileAtomic(path, true, nil) })
	add("EncodePages: nil second page", ErrArgument, func() error {
		return EncodePages(&bytes.Buffer{}, 2, WriteOptions{Format: TIFF},
			func(i int) (*Image, error) { return []*Image{good, nil}[i], nil })
	})
	for _, data := range [][]byte{nil, {}, []byte("text"), []byte(pngSignature), []byte(jpegSignature),
		[]byte("II*\x00"), []byte("MM\x00+")} {
		add("Decode", ErrFormat, func() error { _, err := Decode(data, ReadOptions{}); return err })
		add("NewReader", ErrFormat, func() error { _, err := NewReader(data, ReadOptions{}); return err })
		file := writeFile(t, filepath.Join(dir, "in"+string(data)[:min(len(data), 1)]), data)
		add("Read", ErrFormat, func() error { _, err := Read(writeFile(t, file, data), ReadOptions{}); return err })
		add("Open", ErrFormat, func() error { _, err := Open(writeFile(t, file, data), ReadOptions{}); return err })
		add("ReadInfo", ErrFormat, func() error {
			_, err := ReadInfo(writeFile(t, file, data), ReadOptions{})
			return err
		})
	}
	for _, o := range []ReadOptions{{MaxPixels: 3}, {MaxPixels: 1}} {
		file := encoded(t, good, WriteOptions{})
		add("Decode: limit", ErrLimit, func() error { _, err := Decode(file, o); return err })
		add("ReadInfo: limit", ErrLimit, func() error {
			_, err := ReadInfo(writeFile(t, filepath.Join(dir, "limit"), file), o)
			return err
		})
	}
	add("Decode: white", ErrArgument, func() error {
		_, err := Decode(encoded(t, good, WriteOptions{}), ReadOptions{White: math.NaN()})
		return err
	})
	add("Read: folder", ErrUnsupported, func() error { _, err := Read(dir, ReadOptions{}); return err })
	add("Open: folder", ErrUnsupported, func() error { _, err := Open(dir, ReadOptions{}); return err })
	add("ReadInfo: folder", ErrUnsupported, func() error { _, err := ReadInfo(dir, ReadOptions{}); return err })
	for _, i := range []int{-1, 1, math.MaxInt, math.MinInt} {
		add("Page", ErrArgument, func() error { _, err := reader(good).Page(i); return err })
	}
	add("Page: closed reader", ErrArgument, func() error { _, err := closed.Page(0); return err })
	add("Page: zero reader", ErrArgument, func() error { _, err := new(Reader).Page(0); return err })

	for _, c := range calls {
		if err := c.f(); !errors.Is(err, c.kind) || err.Error() == "" {
			t.Errorf("%s: %v, want %v", c.name, err, c.kind)
		}
	}
	if err := new(Reader).Close(); err != nil || new(Reader).Info() != (Info{}) || new(Reader).Pages() != 0 {
		t.Errorf("zero reader: %v", err)
	}
	var none *Metadata
	for _, m := range []*Metadata{none, {}} {
		if p, err := m.ICC(); p != nil || err != nil || m.EXIF() != nil || m.XMP() != nil || m.Quality() != 0 ||
			m.Lost() != nil {
			t.Errorf("empty metadata: %v, %v", p, err)
		}
		part, _ := m.Cropped(image.Rect(-1, 3, math.MaxInt, math.MaxInt))
		img := edit(func(i *Image) { i.Meta = part })
		for _, f := range []Format{PNG, JPEG, TIFF} {
			encoded(t, img, WriteOptions{Format: f})
		}
	}
	if _, ok := OutputFormatOf("\x00"); ok || Format(-1).String() == "" || Depth(-1).String() == "" {
		t.Error("odd names")
	}
}

// TestErrorsOfTheWriter checks that errors of a writer are returned at whatever byte they occur.
func TestErrorsOfTheWriter(t *testing.T) {
	img := noise(40, 30, 3, false, Depth8, 1)
	for _, f := range []Format{PNG, JPEG, TIFF} {
		n := len(encoded(t, img, WriteOptions{Format: f}))
		for at := 0; at < n; at += 61 {
			w := &failAfter{left: at}
			if err := Encode(w, img, WriteOptions{Format: f}); !errors.Is(err, io.ErrShortWrite) {
				t.Fatalf("%v, after %d of %d bytes: %v", f, at, n, err)
			}
		}
	}
}

type failAfter struct{ left int }

func (w *failAfter) Write(p []byte) (int, error) {
	n := min(len(p), w.left)
	if w.left -= n; n < len(p) {
		return n, io.ErrShortWrite
	}
	return n, nil
}

// TestReadInfo compares ReadInfo with what the pages turn out to be.
func TestReadInfo(t *testing.T) {
	dir := t.TempDir()
	stack := encodedPages(t, []*Image{noise(5, 4, 3, true, Depth16, 1), noise(6, 3, 1, false, DepthFloat32, 2)})
	files := map[Format][][]byte{TIFF: {stack, stackOfImageJ(5)}}
	for f, list := range seeds(t) {
		files[f] = append(files[f], list...)
		if rich := richFiles(t)[f]; rich != nil {
			files[f] = append(files[f], rich)
		}
	}
	files[DNG] = [][]byte{drawnDNG().Bytes()}
	long := encoded(t, noise(9, 7, 1, false, Depth8, 3), WriteOptions{Format: JPEG})
	files[JPEG] = append(files[JPEG], withSegments(long, many(segment{markerCOM, make([]byte, 60_000)}, 5)...))
	for f, list := range files {
		for i, file := range list {
			info, err := ReadInfo(writeFile(t, filepath.Join(dir, "file"), file), ReadOptions{})
			if err != nil {
				t.Errorf("%v %d: %v", f, i, err)
				continue
			}
			r, err := NewReader(file, ReadOptions{})
			if err != nil || r.Info() != info {
				t.Errorf("%v %d: %+v, want %+v, %v", f, i, info, r.Info(), err)
				continue
			}
			img := must.Get(r.Page(0))(t)
			got := []int{info.Width * info.Height, info.Channels, int(info.Depth), int(info.Format)}
			want := []int{img.Width * img.Height, len(img.channels()), int(img.Depth), int(f)}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%v %d: %+v, want %v", f, i, info, want)
			}
		}
	}
}

func many[T any](v T, n int) []T {
	list := make([]T, n)
	for i := range list {
		list[i] = v
	}
	return list
}

// TestInfoOfTheLargestPage checks that the largest page decides the memory of a file.
func TestInfoOfTheLargestPage(t *testing.T) {
	small, large := noise(5, 4, 3, true, Depth16, 1), noise(60, 30, 1, false, DepthFloat32, 2)
	large.Meta = &Metadata{tiff: &tiffMeta{tiffForm: tiffForm{order: le},
		packing: packing{compressionDeflate, predictorHorizontal}}}
	r, err := NewReader(encodedPages(t, []*Image{small, large, small}), ReadOptions{})
	if want := (Info{TIFF, 5, 4, 4, Depth16, 3, 1800, 7200}); err != nil || r.Info() != want {
		t.Errorf("%+v, want %+v, %v", r.Info(), want, err)
	}
	interlaced := buildPNG(3, 2, 8, pngGray, 1, adam7(3, 2, func(x, y int) byte { return 0 }))
	if r, err = NewReader(interlaced, ReadOptions{}); err != nil || r.Info().Scratch != 12 {
		t.Errorf("%+v, %v", r.Info(), err)
	}
}

// TestReadInfoReadsHeadersOnly damages everything after the headers.
func TestReadInfoReadsHeadersOnly(t *testing.T) {
	img := noise(500, 400, 1, false, Depth8, 1)
	for _, f := range []Format{PNG, JPEG} {
		file := encoded(t, img, WriteOptions{Format: f})
		for i := range file[1000:] {
			file[1000+i] ^= 0x55
		}
		path := writeFile(t, filepath.Join(t.TempDir(), "file"), file)
		info, err := ReadInfo(path, ReadOptions{})
		if want := (Info{f, 500, 400, 1, Depth8, 1, 200_000, 200_000}); err != nil || info != want {
			t.Errorf("%v: %+v, %v", f, info, err)
		}
		if _, err := Read(path, ReadOptions{}); !errors.Is(err, ErrFormat) {
			t.Errorf("%v: damaged pixels: %v", f, err)
		}
	}
}

// shortWriter takes less than it is given, and does not say so.
type shortWriter struct{}

func (shortWriter) Write(p []byte) (int, error) { return len(p) / 2, nil }

func TestShortWritesAreErrors(t *testing.T) {
	img := &Image{Width: 8, Height: 8, Planes: [][]float32{make([]float32, 64)}, Depth: Depth8}
	for _, to := range []Format{PNG, TIFF, JPEG} {
		must.Fail(t, to, Encode(shortWriter{}, img, WriteOptions{Format: to}), io.ErrShortWrite)
	}
}

// The limit of bytes counts for bytes in memory, too.
func TestMaxBytesOfMemory(t *testing.T) {
	img := &Image{Width: 8, Height: 8, Planes: [][]float32{make([]float32, 64)}, Depth: Depth8}
	file := encoded(t, img, WriteOptions{Format: PNG})
	if _, err := Decode(file, ReadOptions{MaxBytes: int64(len(file)) - 1}); !errors.Is(err, ErrLimit) {
		t.Error(err)
	}
	decoded(t, file, ReadOptions{MaxBytes: int64(len(file))})
}

// A name that is taken is known before the pages are made.
func TestTakenNameBeforeWork(t *testing.T) {
	dir := t.TempDir()
	taken := filepath.Join(dir, "taken.png")
	must.Do(t, os.WriteFile(taken, nil, 0o666))
	root := must.Get(os.OpenRoot(dir))(t)
	defer root.Close()
	for _, c := range []struct {
		path string
		o    WriteOptions
		want error
	}{
		{taken, WriteOptions{}, fs.ErrExist},
		{"taken.png", WriteOptions{Root: root}, fs.ErrExist},
		{filepath.Join(dir, "no", "new.png"), WriteOptions{}, fs.ErrNotExist},
		{dir, WriteOptions{Overwrite: true}, ErrUnsupported},
	} {
		err := WritePages(c.path, 1, c.o, func(int) (*Image, error) {
			t.Errorf("%s: a page was made", c.path)
			return nil, errors.New("made")
		})
		must.Fail(t, c.path, err, c.want)
	}
}
