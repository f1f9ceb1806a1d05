package view

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/disk/disktest"
	"github.com/blorc-denoise/blorc-denoise/internal/noise"
	"github.com/blorc-denoise/blorc-denoise/internal/scene"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("net/http.(*persistConn).writeLoop"),
		goleak.IgnoreTopFunction("internal/poll.runtime_pollWait"),
		goleak.IgnoreTopFunction("net/http.(*persistConn).readLoop"))
}

// noisyScene is a drawn picture with noise of 20 gray levels.
func noisyScene(w, h int) *imageio.Image {
	drawn := scene.Draw(w, h)
	img := &imageio.Image{Width: w, Height: h, Planes: drawn[:], Depth: imageio.Depth8, Format: imageio.PNG}
	for i, p := range img.Planes {
		noise.AddGaussian(p, p, 20.0/255, noise.Source(1, fmt.Sprint(i)))
	}
	return img
}

// encoded is a file of an image.
func encoded(t testing.TB, img *imageio.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := imageio.Encode(&b, img, imageio.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// testView is a view that runs, and what its caller saw.
type testView struct {
	t             *testing.T
	address, once string
	host          string
	ended         chan error
	stop          context.CancelFunc

	mu    sync.Mutex
	saved []string
	hold  chan struct{} // saving waits for it
}

// start serves three files: two pictures and one that is damaged.
func start(t *testing.T, files ...[]byte) *testView {
	t.Helper()
	return startWithin(t, limits{}, files...)
}

// startWithin is start with other limits.
func startWithin(t *testing.T, most limits, files ...[]byte) *testView {
	t.Helper()
	if files == nil {
		data := encoded(t, noisyScene(300, 90))
		files = [][]byte{data, data, data[:len(data)/2]}
	}
	v, l := newView(t)
	c := Config{Options: denoise.Options{Quality: denoise.Fast}, Linger: 50 * time.Millisecond, limits: most}
	for i := range files {
		c.Files = append(c.Files, File{Name: fmt.Sprintf("%d.png", i), Out: fmt.Sprintf("%d-denoised.png", i)})
	}
	c.Open = func(i int) (*imageio.Reader, error) { return imageio.NewReader(files[i], imageio.ReadOptions{}) }
	c.Save = func(ctx context.Context, i int, o denoise.Options, replace bool) (string, error) {
		v.mu.Lock()
		hold := v.hold
		v.mu.Unlock()
		if hold != nil {
			select {
			case <-hold:
			case <-ctx.Done():
				return "", ctx.Err()
			}
		}
		if i == 2 {
			return "", errors.New("not saved: it is damaged")
		}
		v.mu.Lock()
		defer v.mu.Unlock()
		v.saved = append(v.saved, fmt.Sprint(i, o.Keep, replace))
		return fmt.Sprint("saved ", i), nil
	}
	c.Command = func(choices []Choice, replace bool) string { return fmt.Sprint(len(choices), replace) }
	v.serve(l, c)
	return v
}

// serve runs a view until the end of the test.
func (v *testView) serve(l net.Listener, c Config) {
	ready := make(chan struct{})
	c.Ready = func(address, once string) {
		v.address, v.once = address, once
		close(ready)
	}
	ctx, cancel := context.WithCancel(v.t.Context())
	v.stop = cancel
	go func() { v.ended <- Serve(ctx, l, c) }()
	<-ready
	v.t.Cleanup(func() {
		cancel()
		v.end()
		http.DefaultClient.CloseIdleConnections()
	})
}

// newView returns a view that does not run yet, and its listener.
func newView(t *testing.T) (*testView, net.Listener) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return &testView{t: t, ended: make(chan error, 1), host: l.Addr().String()}, l
}

// run asks for a run of the first page of a file, and returns the answer.
func (v *testView) run(file int, settings string) (int, string) {
	v.t.Helper()
	return v.do("POST", "api/run", fmt.Sprintf(`{"file":%d,"page":0,"settings":%s}`, file, settings))
}

// end waits for the end of the view.
func (v *testView) end() {
	v.t.Helper()
	select {
	case err := <-v.ended:
		if err != nil {
			v.t.Error(err)
		}
		v.ended <- nil
	case <-time.After(10 * time.Second):
		v.t.Fatal("the view does not end")
	}
}

// do sends a request as the page does. It returns the status and the body.
func (v *testView) do(method, path string, body string, change ...func(*http.Request)) (int, string) {
	v.t.Helper()
	r, err := http.NewRequest(method, v.address+path, strings.NewReader(body))
	if err != nil {
		v.t.Fatal(err)
	}
	if method == http.MethodPost {
		r.Header.Set("Origin", "http://"+v.host)
		r.Header.Set("Content-Type", "application/json")
	}
	for _, f := range change {
		f(r)
	}
	a, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return 0, err.Error()
	}
	defer a.Body.Close()
	text, _ := io.ReadAll(a.Body)
	return a.StatusCode, string(text)
}

// listen returns the events of a page, and a function that closes it.
func (v *testView) listen() (<-chan map[string]any, func()) {
	v.t.Helper()
	ctx, cancel := context.WithCancel(v.t.Context())
	r, _ := http.NewRequestWithContext(ctx, http.MethodGet, v.address+"api/events", nil)
	a, err := http.DefaultTransport.RoundTrip(r)
	if err != nil || a.StatusCode != http.StatusOK {
		v.t.Fatal(a, err)
	}
	events := make(chan map[string]any, 1000)
	go func() {
		defer close(events)
		defer a.Body.Close()
		lines := bufio.NewScanner(a.Body)
		lines.Buffer(nil, 1<<22)
		for lines.Scan() {
			if text, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				var e map[string]any
				if json.Unmarshal([]byte(text), &e) == nil {
					events <- e
				}
			}
		}
	}()
	return events, cancel
}

// wait returns the next event of a kind for which ok holds.
func wait(t *testing.T, events <-chan map[string]any, kind string, ok func(map[string]any) bool) map[string]any {
	t.Helper()
	for limit := time.After(30 * time.Second); ; {
		select {
		case e, open := <-events:
			if !open {
				t.Fatalf("no event %q", kind)
			}
			if e["kind"] == kind && (ok == nil || ok(e)) {
				return e
			}
		case <-limit:
			t.Fatalf("no event %q", kind)
		}
	}
}

const plainSettings = `{"noise":"auto","sigma":0,"gain":0,"offset":0,"read_noise":0,"quality":"fast","strength":1,"luma":1,"chroma":1,"grain":0}`

func isDone(e map[string]any) bool { return e["all"] == 1.0 }

func TestTilesAreThoseOfTheProgram(t *testing.T) {
	v := start(t)
	events, _ := v.listen()
	hello := wait(t, events, "hello", nil)
	if n := len(hello["files"].([]any)); n != 3 {
		t.Errorf("%d files", n)
	}
	code, text := v.run(0, plainSettings)
	if code != 200 || strings.TrimSpace(text) != `{"run":1}` {
		t.Fatal(code, text)
	}
	if e := wait(t, events, "picture", nil); e["width"] != 300.0 || e["height"] != 90.0 || e["colour"] != true {
		t.Error(e)
	}
	if e := wait(t, events, "noise", nil); e["noise"] != "gaussian" || math.Abs(e["sigma"].(float64)-20) > 2 {
		t.Error(e)
	}
	wait(t, events, "progress", isDone)
	if e := wait(t, events, "histogram", nil); !strings.Contains(e["svg"].(string), "<svg") {
		t.Error(e)
	}

	img, err := imageio.Decode(encoded(t, noisyScene(300, 90)), imageio.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, side := range []string{"before", "after"} {
		if side == "after" {
			if _, err := denoise.Decoded(t.Context(), img,
				denoise.FileOptions{Options: denoise.Options{Quality: denoise.Fast}}); err != nil {
				t.Fatal(err)
			}
		}
		code, text := v.do("GET", "api/tile?run=1&level=0&x=1&y=0&side="+side, "")
		if code != 200 || len(text) != 4*tileSide*tileSide {
			t.Fatal(code, len(text))
		}
		for _, at := range [][2]int{{0, 0}, {43, 89}, {20, 50}} {
			for c := range 3 {
				want := img.Planes[c][at[1]*300+at[0]+tileSide] * 255
				if got := text[4*(at[1]*tileSide+at[0])+c]; math.Abs(float64(got)-float64(min(max(want, 0),
					255))) > 0.51 {
					t.Errorf("%s at %v: %d, want %g", side, at, got, want)
				}
			}
		}
	}
	// The smaller level has the means of 2 x 2 pixels.
	_, whole := v.do("GET", "api/tile?run=1&level=0&x=0&y=0&side=before", "")
	_, half := v.do("GET", "api/tile?run=1&level=1&x=0&y=0&side=before", "")
	mean := (int(whole[0]) + int(whole[4]) + int(whole[4*tileSide]) + int(whole[4*tileSide+4]) + 2) / 4
	if int(half[0]) != mean {
		t.Errorf("mean %d, want %d", half[0], mean)
	}
	// Other settings are another run, whose tiles replace the old ones.
	code, text = v.run(0, strings.Replace(plainSettings, "auto", "none", 1))
	if code != 200 || strings.TrimSpace(text) != `{"run":2}` {
		t.Fatal(code, text)
	}
	if e := wait(t, events, "noise", func(e map[string]any) bool { return e["run"] == 2.0 }); e["unchanged"] != true {
		t.Error(e)
	}
	if code, _ := v.do("GET", "api/tile?run=1&level=0&x=0&y=0&side=after", ""); code != http.StatusGone {
		t.Error(code)
	}
}

// Pages, inks, opacity, 16 bits in a narrow range and odd sizes.
func TestKindsOfPictures(t *testing.T) {
	gray := noisyScene(261, 259)
	gray.Planes, gray.Depth = gray.Planes[:1], imageio.Depth16
	for i := range gray.Planes[0] {
		gray.Planes[0][i] *= 0.05
	}
	inks := noisyScene(40, 30)
	inks.Planes, inks.Format = append(inks.Planes, inks.Planes[0]), imageio.TIFF
	clear := noisyScene(30, 40)
	clear.Alpha = make([]float32, 1200)
	var stack bytes.Buffer
	err := imageio.EncodePages(&stack, 2, imageio.WriteOptions{Format: imageio.TIFF},
		func(i int) (*imageio.Image, error) {
			return noisyScene(20+i, 10), nil
		})
	if err != nil {
		t.Fatal(err)
	}
	v := start(t, encoded(t, gray), encoded(t, inks), encoded(t, clear), stack.Bytes())
	events, _ := v.listen()
	var about []string
	for i, page := range []int{0, 0, 0, 1} {
		v.do("POST", "api/run", fmt.Sprintf(`{"file":%d,"page":%d,"settings":%s}`, i, page, plainSettings))
		e := wait(t, events, "picture", func(e map[string]any) bool { return e["file"] == float64(i) })
		about = append(about, e["about"].(string))
		wait(t, events, "progress", func(p map[string]any) bool { return p["run"] == e["run"] && isDone(p) })
		if i == 0 {
			code, text := v.do("GET", fmt.Sprintf("api/tile?run=%v&level=0&x=1&y=1&side=after", e["run"]), "")
			if code != 200 || text[0] != text[1] || text[4*4] != text[4*6] { // the last pixels go on to the edge
				t.Error(code, text[:32])
			}
		}
		if i == 2 {
			if _, text := v.do("GET", fmt.Sprintf("api/tile?run=%v&level=0&x=0&y=0&side=before", e["run"]),
				""); text[3] != 0 {
				t.Error("opacity", text[3])
			}
		}
	}
	for i, want := range []string{"261 × 259, 16-bit PNG, gray, shown with more contrast", "40 × 30, 8-bit TIFF, CMYK",
		"30 × 40, 8-bit PNG, alpha", "21 × 10, 8-bit TIFF"} {
		if !strings.HasPrefix(about[i], want) {
			t.Errorf("%q, want %q", about[i], want)
		}
	}
}

func TestDamagedFile(t *testing.T) {
	v := start(t)
	events, _ := v.listen()
	v.run(2, plainSettings)
	if e := wait(t, events, "failed", nil); !strings.Contains(e["message"].(string), "damaged PNG") {
		t.Error(e)
	}
	v.do("POST", "api/run", `{"file":1,"page":7,"settings":`+plainSettings+`}`)
	if e := wait(t, events, "failed", nil); e["message"] != "there are 1 pages only" {
		t.Error(e)
	}
	v.run(1, plainSettings)
	wait(t, events, "progress", isDone)
}

func TestSave(t *testing.T) {
	v := start(t)
	events, _ := v.listen()
	half := strings.Replace(plainSettings, `"strength":1`, `"strength":0.9`, 1)
	body := `{"files":[{"file":0,"settings":` + half + `},{"file":2,"settings":` + plainSettings + `}],"replace":true}`
	if code, text := v.do("POST", "api/save", body); code != http.StatusNoContent {
		t.Fatal(code, text)
	}
	state := func(file float64, state string) func(map[string]any) bool {
		return func(e map[string]any) bool { return e["file"] == file && e["state"] == state }
	}
	wait(t, events, "save", state(0, "waiting"))
	if e := wait(t, events, "save", state(0, "done")); e["message"] != "saved 0" {
		t.Error(e)
	}
	if e := wait(t, events, "save", state(2, "failed")); e["message"] != "not saved: it is damaged" {
		t.Error(e)
	}
	v.mu.Lock()
	if fmt.Sprint(v.saved) != "[0 0.1 true]" {
		t.Error(v.saved)
	}
	v.hold = make(chan struct{})
	v.mu.Unlock()
	// What is being saved, and what waits, can be cancelled. More files than there are cannot wait.
	v.do("POST", "api/save", body)
	wait(t, events, "save", state(0, "working"))
	if code, _ := v.do("POST", "api/save", body); code != http.StatusConflict {
		t.Error(code)
	}
	v.do("POST", "api/cancel", `{}`)
	seen := map[any]bool{}
	for len(seen) < 2 {
		seen[wait(t, events, "save", func(e map[string]any) bool { return e["state"] == "cancelled" })["file"]] = true
	}
}

func TestCommand(t *testing.T) {
	v := start(t)
	half := strings.Replace(plainSettings, `"strength":1`, `"strength":0.5`, 1)
	code, text := v.do("POST", "api/command",
		`{"files":[{"file":0,"settings":`+half+`},{"file":2,"settings":`+plainSettings+
			`},{"file":1,"settings":`+half+`}],"replace":true}`)
	if code != 200 || strings.TrimSpace(text) != `{"command":"2 true"}` {
		t.Error(code, text)
	}
}

func TestEndsWhenThePageIsClosed(t *testing.T) {
	v := start(t)
	events, closePage := v.listen()
	wait(t, events, "hello", nil)
	closePage()
	// A page that is loaded again keeps the view.
	events, closePage = v.listen()
	wait(t, events, "hello", nil)
	select {
	case <-v.ended:
		t.Fatal("ended with a page open")
	case <-time.After(200 * time.Millisecond):
	}
	// A file that is being saved is finished first.
	v.mu.Lock()
	v.hold = make(chan struct{})
	v.mu.Unlock()
	v.do("POST", "api/save", `{"files":[{"file":0,"settings":`+plainSettings+`}],"replace":false}`)
	wait(t, events, "save", func(e map[string]any) bool { return e["state"] == "working" })
	closePage()
	select {
	case <-v.ended:
		t.Fatal("ended while a file was being saved")
	case <-time.After(200 * time.Millisecond):
	}
	close(v.hold)
	v.end()
	if len(v.saved) != 1 {
		t.Error(v.saved)
	}
}

func TestEndsWithTheContext(t *testing.T) {
	v := start(t)
	events, _ := v.listen()
	wait(t, events, "hello", nil)
	v.mu.Lock()
	v.hold = make(chan struct{})
	v.mu.Unlock()
	v.do("POST", "api/save", `{"files":[{"file":0,"settings":`+plainSettings+`}],"replace":false}`)
	wait(t, events, "save", func(e map[string]any) bool { return e["state"] == "working" })
	v.stop()
	v.end()
	if len(v.saved) != 0 {
		t.Error(v.saved)
	}
}

func TestOnlyLoopback(t *testing.T) {
	l, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		disktest.Lacks(t, err)
	}
	if err := Serve(t.Context(), l, Config{Files: []File{{}}}); err == nil {
		t.Error("served to all the network")
	}
}
