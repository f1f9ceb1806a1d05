package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/must"
	"github.com/blorc-denoise/blorc-denoise/internal/noise"
	"github.com/blorc-denoise/blorc-denoise/internal/scene/scenetest"
)

// answer is one answer of a worker.
type answer struct {
	image  []byte
	status string
	code   int
	text   string
}

// readAnswers takes what a worker has written apart.
func readAnswers(t *testing.T, out []byte) (all []answer) {
	t.Helper()
	var a answer
	for r := bufio.NewReader(bytes.NewReader(out)); ; {
		line, err := r.ReadBytes('\n')
		if err == io.EOF && len(line) == 0 {
			if a.image != nil || a.status != "" {
				t.Error("the last answer has no end")
			}
			return all
		}
		var v struct {
			Part   int
			Code   *int
			Status string
			Error  json.RawMessage // of a record, it is an object
		}
		must.Do(t, json.Unmarshal(line, &v))
		switch {
		case v.Part > 0:
			part := make([]byte, v.Part)
			must.Get(io.ReadFull(r, part))(t)
			a.image = append(a.image, part...)
		case v.Status != "":
			a.status = v.Status
		case v.Code != nil:
			a.code, a.text = *v.Code, strings.Trim(string(v.Error), `"`)
			all, a = append(all, a), answer{}
		}
	}
}

// asked returns a request.
func asked(data []byte, flags ...string) []byte {
	line, _ := json.Marshal(request{flags, int64(len(data))})
	return append(append(line, '\n'), data...)
}

// answered returns the answers of a worker that takes images of up to 100 kB.
func answered(t *testing.T, in []byte) []answer {
	t.Helper()
	var out bytes.Buffer
	w := &worker{out: &answers{w: &out}, most: 100_000}
	must.Do(t, w.serve(t.Context(), bytes.NewReader(in)))
	return readAnswers(t, out.Bytes())
}

// noisyPNG returns a small file.
func noisyPNG(t testing.TB) []byte {
	planes := scenetest.Draw(40, 32)
	source := noise.Source(1, "worker")
	for i := range planes {
		noise.AddGaussian(planes[i], planes[i], 20./255, source)
	}
	var b bytes.Buffer
	img := &imageio.Image{Width: 40, Height: 32, Planes: planes[:], Depth: 8}
	must.Do(t, imageio.Encode(&b, img, imageio.WriteOptions{Format: imageio.PNG}))
	return b.Bytes()
}

// A worker answers each request as the program would, and goes on after those that fail.
func TestWorkerAnswers(t *testing.T) {
	png := noisyPNG(t)
	dir := t.TempDir()
	must.Do(t, os.WriteFile(dir+"/a.png", png, 0o666))
	if code, text := call(t, dir+"/a.png", "-o", dir+"/b.png", "--quality=fast", "--sigma=20"); code != 0 {
		t.Fatal(text)
	}
	want := []byte(readFile(t, dir+"/b.png"))
	good := []string{"--quality=fast", "--sigma=20"}
	in := bytes.Join([][]byte{asked(png, good...), asked(png, "--sigma=-1"), asked([]byte("no image")),
		asked(png, "-o", "x.png"), asked(png, "x.png"), asked(make([]byte, 100_001)), asked(nil),
		asked(png, "--max-pixels=10"), asked(png, "--help"), asked(png, good...)}, nil)
	got := answered(t, in)
	for i, a := range []answer{{code: 0}, {code: 2, text: "must be a number"}, {code: 3},
		{code: 2, text: "unknown shorthand flag: 'o'"}, {code: 2, text: "unexpected argument"},
		{code: 5, text: "more than 100000 bytes"}, {code: 3}, {code: 5, text: "--max-pixels"}, {code: 2}, {code: 0}} {
		if i >= len(got) {
			t.Fatalf("%d answers", len(got))
		}
		if got[i].code != a.code || !strings.Contains(got[i].text, a.text) || (a.code == 0) != (got[i].text == "") {
			t.Errorf("answer %d: code %d, %s", i, got[i].code, got[i].text)
		}
		if a.code == 0 && (!bytes.Equal(got[i].image, want) || got[i].status != statusDone) {
			t.Errorf("answer %d: %d bytes, %s", i, len(got[i].image), got[i].status)
		}
		if a.code != 0 && got[i].image != nil {
			t.Errorf("answer %d has an image", i)
		}
	}
	if len(got) != 10 {
		t.Errorf("%d answers", len(got))
	}
}

// A request that cannot be read is the last: nobody knows where the next one begins.
func TestWorkerEndsWithBadRequests(t *testing.T) {
	png := noisyPNG(t)
	for in, want := range map[string]answer{
		"hello\n":             {code: 3, text: "no JSON"},
		`{"bytes":-1}` + "\n": {code: 3, text: "-1 bytes"},
		`{"bytes":3}`:         {code: 3, text: "cut off"},
		`{"flags":["` + strings.Repeat("x", 1<<16):     {code: 5, text: "more than 65536 bytes"},
		`{"bytes":9000000000000000000}` + "\n" + "few": {code: 1, text: "unexpected EOF"},
		`{"bytes":10}` + "\nfew":                       {code: 1, text: "unexpected EOF"},
	} {
		if strings.HasSuffix(in, "\n") {
			in += string(asked(png))
		}
		got := answered(t, []byte(in))
		if len(got) != 1 || got[0].code != want.code || !strings.Contains(got[0].text, want.text) {
			t.Errorf("%.40s: %+v", in, got)
		}
	}
}

// A worker that nobody needs ends.
func TestWorkerIdle(t *testing.T) {
	ended := make(chan int, 1)
	w := &worker{out: &answers{w: io.Discard}, idle: time.Millisecond, exit: func(code int) { ended <- code }}
	in, feed := io.Pipe()
	go w.serve(t.Context(), in)
	if code := <-ended; code != exitOK {
		t.Error(code)
	}
	feed.Close()
}

// Whatever comes, a worker answers in whole lines and ends with its input.
func FuzzWorker(f *testing.F) {
	png := noisyPNG(f)
	f.Add(asked(png, "--quality=fast", "--sigma=20"))
	f.Add(append(asked([]byte("no image")), asked(png, "--crop=0,0,8,8", "--quality=fast")...))
	f.Add([]byte(`{"flags":["--white=0","--nodata=nan"],"bytes":2}` + "\nab{}\n{}"))
	f.Add([]byte(fmt.Sprintf(`{"bytes":%d}`+"\n", int64(1)<<62)))
	f.Fuzz(func(t *testing.T, in []byte) { answered(t, in) })
}
