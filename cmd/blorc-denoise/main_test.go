package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/noise"
	"github.com/blorc-denoise/blorc-denoise/internal/scene/scenetest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		program: main,
	})
}

func TestScripts(t *testing.T) { runScriptsIn(t, testscript.Params{Dir: "testdata/script"}) }

// runScripts runs scripts, by their names.
func runScripts(t *testing.T, scripts map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, script := range scripts {
		if err := os.WriteFile(filepath.Join(dir, name+".txtar"), []byte(script), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	runScriptsIn(t, testscript.Params{Dir: dir})
}

func runScriptsIn(t *testing.T, p testscript.Params) {
	t.Helper()
	p.RequireExplicitExec, p.Cmds, p.Setup = true, scriptCommands, ownCache
	testscript.Run(t, p)
}

// call runs the program, and returns its exit code and all that it prints.
func call(t *testing.T, words ...string) (code int, text string) {
	t.Helper()
	var out bytes.Buffer
	code = run(t.Context(), words, &out, &out)
	return code, out.String()
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// create writes a file, and makes its folder.
func create(ts *testscript.TestScript, path string, data []byte) {
	ts.Check(os.MkdirAll(filepath.Dir(ts.MkAbs(path)), 0o777))
	ts.Check(os.WriteFile(ts.MkAbs(path), data, 0o666))
}

// ownCache keeps what the program remembers in the folder of the script.
func ownCache(env *testscript.Env) error {
	env.Setenv("XDG_CACHE_HOME", filepath.Join(env.WorkDir, ".cache"))
	return nil
}

// scriptCommands are what scripts can use besides testscript's own commands.
var scriptCommands = map[string]func(*testscript.TestScript, bool, []string){
	"code": cmdCode, "image": cmdImage, "inspect": cmdInspect, "flip": cmdFlip, "bomb": cmdBomb, "closer": cmdCloser,
	"join": cmdJoin, "insert": cmdInsert, "text": cmdText, "unsupported": cmdUnsupported, "digests": cmdDigests,
	"gainmap": cmdGainMap, "orient": cmdOrient, "count": cmdCount, "stack": cmdStack,
	"tiff": cmdTIFF, "tags": cmdTags, "dng": cmdDNG,
}

// code N COMMAND...: the command must exit with N.
func cmdCode(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	switch err := ts.Exec(args[1], args[2:]...); {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// count FILE VALUE: prints how many samples have a value, on a scale of 0 to 1.
func cmdCount(ts *testscript.TestScript, _ bool, args []string) {
	img, err := imageio.Read(ts.MkAbs(args[0]), imageio.ReadOptions{KeepInvalid: true})
	ts.Check(err)
	value, err := strconv.ParseFloat(args[1], 32)
	ts.Check(err)
	n := 0
	for _, p := range img.Planes {
		for _, v := range p {
			if v == float32(value) || v != v && value != value {
				n++
			}
		}
	}
	fmt.Fprintln(ts.Stdout(), n)
}

// image FILE WIDTHxHEIGHT [gray] [soft] [16] [float] [alpha] [opaque] [noise=LEVELS] [hole=VALUE] [hot=VALUE]: a drawn
// scene, or a soft ramp. Its lower right quarter has the value of a hole, and one of 101 samples that of hot pixels.
func cmdImage(ts *testscript.TestScript, _ bool, args []string) {
	var w, h int
	_, err := fmt.Sscanf(args[1], "%dx%d", &w, &h)
	ts.Check(err)
	drawn := scenetest.Draw(w, h)
	img := &imageio.Image{Width: w, Height: h, Planes: drawn[:], Depth: imageio.Depth8}
	img.Format, _ = imageio.OutputFormatOf(args[0])
	for _, a := range args[2:] {
		switch {
		case a == "gray":
			img.Planes = [][]float32{scenetest.Gray(drawn)}
		case a == "soft":
			for c, p := range img.Planes {
				for i := range p {
					p[i] = (80 + float32(20*c) + 0.05*float32(i%w)) / 255
				}
			}
		case a == "16":
			img.Depth = imageio.Depth16
		case a == "float":
			img.Depth = imageio.DepthFloat32
		case a == "alpha":
			img.Alpha = make([]float32, w*h)
			for i := range img.Alpha {
				img.Alpha[i] = float32(i%w) / float32(w)
			}
		case a == "opaque":
			img.Alpha = slices.Repeat([]float32{1}, w*h)
		case strings.HasPrefix(a, "noise="):
			sigma, err := strconv.ParseFloat(strings.TrimPrefix(a, "noise="), 64)
			ts.Check(err)
			for _, p := range img.Planes {
				noise.AddGaussian(p, p, sigma/255, noise.Source(1, args[0]))
			}
		case strings.HasPrefix(a, "hole="), strings.HasPrefix(a, "hot="):
			word, text, _ := strings.Cut(a, "=")
			value, err := strconv.ParseFloat(text, 32)
			ts.Check(err)
			for _, p := range img.Planes {
				for i := range p {
					if word == "hole" && i%w >= w/2 && i/w >= h/2 || word == "hot" && i%101 == 50 {
						p[i] = float32(value)
					}
				}
			}
		default:
			ts.Fatalf("unknown word %q", a)
		}
	}
	ts.Check(os.MkdirAll(filepath.Dir(ts.MkAbs(args[0])), 0o777))
	ts.Check(imageio.Write(ts.MkAbs(args[0]), img, imageio.WriteOptions{Overwrite: true, White: 1, KeepInvalid: true}))
}

// stack FILE IMAGE...: a TIFF whose pages are those images.
func cmdStack(ts *testscript.TestScript, _ bool, args []string) {
	var b bytes.Buffer
	ts.Check(imageio.EncodePages(&b, len(args)-1, imageio.WriteOptions{Format: imageio.TIFF},
		func(i int) (*imageio.Image, error) { return imageio.Read(ts.MkAbs(args[1+i]), imageio.ReadOptions{}) }))
	create(ts, args[0], b.Bytes())
}

// inspect FILE: prints size, planes, depth and a digest of the alpha channel.
func cmdInspect(ts *testscript.TestScript, _ bool, args []string) {
	img, err := imageio.Read(ts.MkAbs(args[0]), imageio.ReadOptions{})
	ts.Check(err)
	alpha := "none"
	if img.Alpha != nil {
		h := sha256.New()
		ts.Check(binary.Write(h, binary.LittleEndian, img.Alpha))
		alpha = fmt.Sprintf("%x", h.Sum(nil)[:8])
	}
	fmt.Fprintf(ts.Stdout(), "%v %dx%d planes=%d depth=%v alpha=%s\n", img.Format, img.Width, img.Height,
		len(img.Planes), img.Depth, alpha)
}

// flip FILE: flips one bit in the middle.
func cmdFlip(ts *testscript.TestScript, _ bool, args []string) {
	path := ts.MkAbs(args[0])
	data, err := os.ReadFile(path)
	ts.Check(err)
	data[len(data)/2] ^= 1
	ts.Check(os.WriteFile(path, data, 0o666))
}

// join OUT FILE...: the files' bytes one after the other.
func cmdJoin(ts *testscript.TestScript, _ bool, args []string) {
	var all []byte
	for _, path := range args[1:] {
		all = append(all, ts.ReadFile(path)...)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), all, 0o666))
}

// insert FILE AT TEXT: puts a text into the file.
func cmdInsert(ts *testscript.TestScript, _ bool, args []string) {
	data := ts.ReadFile(args[0])
	at, err := strconv.Atoi(args[1])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(data[:at]+args[2]+data[at:]), 0o666))
}

// unsupported FILE [PAGES]: a TIFF of one page or more. The compression (JPEG 2000) of the last but one, or of the only
// one, is not supported.
func cmdUnsupported(ts *testscript.TestScript, _ bool, args []string) {
	pages := 1
	if len(args) > 1 {
		var err error
		pages, err = strconv.Atoi(args[1])
		ts.Check(err)
	}
	var b bytes.Buffer
	ts.Check(imageio.EncodePages(&b, pages, imageio.WriteOptions{Format: imageio.TIFF},
		func(i int) (*imageio.Image, error) {
			drawn := scenetest.Draw(40, 40)
			noise.AddGaussian(drawn[0], drawn[0], 20.0/255, noise.Source(uint64(i), "page"))
			return &imageio.Image{Width: 40, Height: 40, Planes: drawn[:1], Depth: imageio.Depth8}, nil
		}))
	data, order := b.Bytes(), binary.LittleEndian
	// the compression: a SHORT, one of it
	tag := order.AppendUint32(order.AppendUint16(order.AppendUint16(nil, 259), 3), 1)
	i := bytes.Index(data, tag)
	for range pages - 2 {
		i += 1 + bytes.Index(data[i+1:], tag)
	}
	if i < 0 {
		ts.Fatalf("no tag of the compression")
	}
	order.PutUint16(data[i+8:], 34712)
	create(ts, args[0], data)
}

// digests LINES IN OUT: a line of JSON has the SHA-256 of both files.
func cmdDigests(ts *testscript.TestScript, _ bool, args []string) {
	sum := func(path string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(ts.ReadFile(path)))) }
	if want := `"input_sha256":"` + sum(args[1]) + `","output_sha256":"` + sum(args[2]) +
		`"`; !strings.Contains(ts.ReadFile(args[0]), want) {
		ts.Fatalf("no %s", want)
	}
}

// bomb FILE: a JPEG of a few bytes that declares 65535 x 65535 pixels.
func cmdBomb(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(os.WriteFile(ts.MkAbs(args[0]),
		[]byte("\xff\xd8\xff\xc0\x00\x11\x08\xff\xff\xff\xff\x03\x01\x11\x00\x02\x11\x00\x03\x11\x00"+
			"\xff\xda\x00\x0c\x03\x01\x00\x02\x00\x03\x00\x00\x3f\x00\xff\xd9"), 0o666))
}

// closer CLEAN A B: A must be closer to CLEAN than B.
func cmdCloser(ts *testscript.TestScript, _ bool, args []string) {
	var distance [3]float64
	clean, err := imageio.Read(ts.MkAbs(args[0]), imageio.ReadOptions{})
	ts.Check(err)
	for i := 1; i <= 2; i++ {
		img, err := imageio.Read(ts.MkAbs(args[i]), imageio.ReadOptions{})
		ts.Check(err)
		for p := range clean.Planes {
			for j, v := range clean.Planes[p] {
				distance[i] += math.Pow(float64(v-img.Planes[p][j]), 2)
			}
		}
	}
	if !(distance[1] < distance[2]) {
		ts.Fatalf("squared distances %g and %g", distance[1], distance[2])
	}
}
