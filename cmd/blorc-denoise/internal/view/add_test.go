package view

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// startEmpty serves a page that takes pictures and has none.
func startEmpty(t *testing.T) *testView {
	t.Helper()
	return startEmptyWithin(t, limits{})
}

// startEmptyWithin is startEmpty with other limits.
func startEmptyWithin(t *testing.T, most limits) *testView {
	t.Helper()
	v, l := newView(t)
	var mu sync.Mutex
	var taken [][]byte
	c := Config{Options: denoise.Options{Quality: denoise.Fast}, Linger: 50 * time.Millisecond, limits: most}
	c.Open = func(i int) (*imageio.Reader, error) {
		mu.Lock()
		defer mu.Unlock()
		return imageio.NewReader(taken[i], imageio.ReadOptions{})
	}
	c.Take = func(name string, size int64, content io.Reader) (File, error) {
		if name == "none.png" {
			return File{}, errors.New("there is no room for it")
		}
		data, err := io.ReadAll(content)
		if err != nil {
			return File{}, err
		}
		if name == "bad.txt" || size != int64(len(data)) {
			return File{}, errors.New("this is no picture")
		}
		mu.Lock()
		defer mu.Unlock()
		taken = append(taken, data)
		return File{Name: name, Out: "new.png", Loose: true}, nil
	}
	c.Choose = func(context.Context) ([]File, []Refused, error) {
		mu.Lock()
		defer mu.Unlock()
		taken = append(taken, taken[0], taken[0])
		return []File{{Name: "/x/a.png", Out: "/x/a-denoised.png"}, {Name: "/x/b.png", Out: "/x/b-denoised.png"}},
			[]Refused{{"/x/c.heic", "HEIC file"}}, nil
	}
	c.Save = func(context.Context, int, denoise.Options, bool) (string, error) { return "saved", nil }
	c.Result = func(i int) (string, io.ReadCloser, error) {
		if i > 0 {
			return "", nil, errors.New("it has not been saved yet")
		}
		return "né\r\nw.png", io.NopCloser(strings.NewReader("bytes")), nil
	}
	c.Command = func([]Choice, bool) string { return "" }
	v.serve(l, c)
	return v
}

// A page with nothing in it takes pictures, shows them, and gives back what was saved.
func TestAddToAnEmptyPage(t *testing.T) {
	v := startEmpty(t)
	events, closePage := v.listen()
	defer closePage()
	hello := wait(t, events, "hello", nil)
	if len(hello["files"].([]any)) != 0 || hello["takes"] != true || hello["chooses"] != true {
		t.Errorf("%v", hello)
	}
	if code, _ := v.run(0, plainSettings); code != http.StatusNotFound {
		t.Errorf("a run without pictures: %d", code)
	}
	bytesOf := header("Content-Type", "application/octet-stream")
	data := string(encoded(t, noisyScene(300, 90)))
	if code, text := v.do("POST", "api/add?name=bad.txt", "text", bytesOf); code != http.StatusUnprocessableEntity ||
		text != "this is no picture\n" {
		t.Errorf("%d %s", code, text)
	}
	if code, text := v.do("POST", "api/add?name=a%20b.png", data, bytesOf); code != http.StatusNoContent {
		t.Fatalf("%d %s", code, text)
	}
	added := wait(t, events, "files", nil)
	if f := added["files"].([]any)[0].(map[string]any); added["from"] != 0.0 || f["name"] != "a b.png" ||
		f["loose"] != true {
		t.Errorf("%v", added)
	}
	if code, _ := v.run(0, plainSettings); code != http.StatusOK {
		t.Errorf("a run: %d", code)
	}
	wait(t, events, "noise", nil)
	if code, text := v.do("POST", "api/choose", "{}"); code != http.StatusOK ||
		text != `[{"name":"/x/c.heic","why":"HEIC file"}]`+"\n" {
		t.Errorf("choosing: %d %s", code, text)
	}
	if added := wait(t, events, "files", nil); added["from"] != 1.0 || len(added["files"].([]any)) != 2 {
		t.Errorf("%v", added)
	}
	if code, text := v.do("GET", "api/result?file=0", ""); code != http.StatusOK || text != "bytes" {
		t.Errorf("%d %s", code, text)
	}
	for path, want := range map[string]int{"api/result?file=1": 404, "api/result?file=9": 404, "api/result?file=x": 404,
		"api/result": 404} {
		if code, _ := v.do("GET", path, ""); code != want {
			t.Errorf("%s: %d, want %d", path, code, want)
		}
	}
}

// What other pages and programs send is refused before a byte of it is read.
func TestHostileAdds(t *testing.T) {
	v := startEmpty(t)
	bytesOf := header("Content-Type", "application/octet-stream")
	for name, c := range map[string]struct {
		path   string
		want   int
		change []func(*http.Request)
	}{
		"another origin": {"api/add?name=a.png", 403, []func(*http.Request){bytesOf,
			header("Origin", "http://evil.example")}},
		"no origin": {"api/add?name=a.png", 403,
			[]func(*http.Request){bytesOf, func(r *http.Request) { r.Header.Del("Origin") }}},
		"another host": {"api/add?name=a.png", 403, []func(*http.Request){bytesOf, host("evil.example:80")}},
		"no token": {"api/add?name=a.png", 403,
			[]func(*http.Request){bytesOf, func(r *http.Request) { r.URL.Path = "/api/add" }}},
		"another site": {"api/add?name=a.png", 403, []func(*http.Request){bytesOf,
			header("Sec-Fetch-Site", "cross-site")}},
		"a form": {"api/add?name=a.png", 415,
			[]func(*http.Request){header("Content-Type", "text/plain")}},
		"a choice by name":        {"api/choose", 400, []func(*http.Request){}},
		"a choice from elsewhere": {"api/choose", 403, []func(*http.Request){header("Origin", "http://evil.example")}},
	} {
		body := `{"path":"/etc/passwd"}`
		if code, text := v.do("POST", c.path, body, c.change...); code != c.want {
			t.Errorf("%s: %d %s, want %d", name, code, text, c.want)
		}
	}
	if code, _ := v.do("GET", "api/result?file=0", ""); code != http.StatusNotFound {
		t.Errorf("a result of nothing: %d", code)
	}
	full := start(t) // takes none
	if code, _ := full.do("POST", "api/add?name=a.png", "x", bytesOf); code != http.StatusNotFound {
		t.Errorf("a page that takes none: %d", code)
	}
	if code, _ := full.do("POST", "api/choose", "{}"); code != http.StatusNotFound {
		t.Errorf("a page without a window to choose in: %d", code)
	}
	if code, _ := full.do("GET", "api/result?file=0", ""); code != http.StatusNotFound {
		t.Errorf("a page whose results have folders: %d", code)
	}
}

// A list that is full takes no more.
func TestListIsFull(t *testing.T) {
	v, l := newView(t)
	c := Config{Files: make([]File, maxFiles-1), Linger: 50 * time.Millisecond}
	c.Open = func(int) (*imageio.Reader, error) { return nil, errors.New("none") }
	c.Take = func(string, int64, io.Reader) (File, error) { return File{}, nil }
	c.Choose = func(context.Context) ([]File, []Refused, error) { return make([]File, 1), nil, nil }
	v.serve(l, c)
	bytesOf := header("Content-Type", "application/octet-stream")
	for i, want := range []int{http.StatusNoContent, http.StatusConflict} {
		if code, text := v.do("POST", "api/add?name=a.png", "x", bytesOf); code != want {
			t.Errorf("picture %d: %d %s", maxFiles+i, code, text)
		}
	}
	if code, text := v.do("POST", "api/choose", "{}"); code != http.StatusConflict {
		t.Errorf("choosing: %d %s", code, text)
	}
}

// The name of a result cannot add a header.
func TestResultNameIsEscaped(t *testing.T) {
	v := startEmpty(t)
	bytesOf := header("Content-Type", "application/octet-stream")
	v.do("POST", "api/add?name=a.png", string(encoded(t, noisyScene(64, 48))), bytesOf)
	r, err := http.NewRequest("GET", v.address+"api/result?file=0", nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	text, _ := io.ReadAll(a.Body)
	if got := a.Header.Get("Content-Disposition"); got != "attachment; filename*=UTF-8''n%C3%A9%0D%0Aw.png" ||
		!bytes.Equal(text, []byte("bytes")) {
		t.Errorf("%q %q", got, text)
	}
}

// A browser that reads no answer before it has sent everything gets the reason of a refusal.
func TestRefusalIsReadAfterAllIsSent(t *testing.T) {
	v := startEmpty(t)
	const size = 40 << 20 // more than a connection holds
	r, err := http.NewRequest("POST", v.address+"api/add?name=none.png", nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.Dial("tcp", v.host)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: %s\r\nOrigin: http://%[2]s\r\nContent-Type: application/octet-stream\r\n"+
		"Content-Length: %d\r\n\r\n", r.URL.RequestURI(), v.host, size)
	if _, err := c.Write(make([]byte, size)); err != nil {
		t.Fatal(err)
	}
	a, err := http.ReadResponse(bufio.NewReader(c), r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	if text, _ := io.ReadAll(a.Body); a.StatusCode != 422 || string(text) != "there is no room for it\n" {
		t.Errorf("%d %s", a.StatusCode, text)
	}
}

// The server closes a connection on which only half a picture came, whether it would have taken the picture or not.
func TestHalfAPictureEnds(t *testing.T) {
	most := longLimits()
	most.body = soon
	for _, name := range []string{"a.png", "none.png"} {
		v := startEmptyWithin(t, most)
		if !hungUp(v.dial(fmt.Sprintf("POST /%s/api/add?name=%s HTTP/1.1\r\nHost: %s\r\nOrigin: http://%[3]s\r\n"+
			"Content-Type: application/octet-stream\r\nContent-Length: 1000\r\n\r\nhalf", v.token(), name, v.host))) {
			t.Errorf("%s: the connection stays", name)
		}
	}
}

// deadlines records those of a connection.
type deadlines struct {
	*httptest.ResponseRecorder
	read, write []time.Time
}

func (d *deadlines) SetReadDeadline(t time.Time) error  { d.read = append(d.read, t); return nil }
func (d *deadlines) SetWriteDeadline(t time.Time) error { d.write = append(d.write, t); return nil }

// A picture may take any time to come, as long as each part of it comes in time.
func TestEachPartHasItsTime(t *testing.T) {
	d, start := &deadlines{}, time.Now()
	all, err := io.ReadAll(steady{iotest.OneByteReader(strings.NewReader("abc")), http.NewResponseController(d), long})
	if string(all) != "abc" || err != nil || len(d.read) != 4 { // the reader sets the fourth at the end
		t.Errorf("%q, %v, %d deadlines", all, err, len(d.read))
	}
	for _, at := range d.read {
		if at.Before(start.Add(long)) {
			t.Errorf("a deadline after %v", at.Sub(start))
		}
	}
}

// The user may take any time to choose files.
func TestChoosingHasNoDeadline(t *testing.T) {
	d := &deadlines{ResponseRecorder: httptest.NewRecorder()}
	s := newServer(t.Context(), Config{Choose: func(context.Context) ([]File, []Refused, error) {
		if !d.read[len(d.read)-1].IsZero() || !d.write[len(d.write)-1].IsZero() {
			t.Errorf("deadlines while the user chooses: %v, %v", d.read, d.write)
		}
		return nil, nil, nil
	}}, nil)
	r := httptest.NewRequest("POST", "/", strings.NewReader("{}"))
	r.Header.Set("Content-Type", "application/json")
	timed(d, r, long, long)
	if err := s.postChoose(d, r); err != nil || d.write[len(d.write)-1].IsZero() {
		t.Errorf("%v; the deadline of the answer: %v", err, d.write)
	}
}

// Nobody chooses files while others are added.
func TestChoosingWhilePicturesAreAdded(t *testing.T) {
	s := newServer(t.Context(), Config{Choose: func(context.Context) ([]File, []Refused, error) {
		t.Error("the user is asked")
		return nil, nil, nil
	}}, nil)
	s.adding.Lock()
	r := httptest.NewRequest("POST", "/", strings.NewReader("{}"))
	r.Header.Set("Content-Type", "application/json")
	if err := s.postChoose(httptest.NewRecorder(), r); fmt.Sprint(err) != "pictures are being added already" {
		t.Error(err)
	}
}

// flushes tells of each flush.
type flushes struct {
	*deadlines
	flushed chan bool
}

func (f flushes) Flush() { f.flushed <- true }

// Each event has its own time to be taken.
func TestEachEventHasItsTime(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s := newServer(ctx, Config{Linger: long, limits: limits{write: long}}, func() {})
	w := flushes{&deadlines{ResponseRecorder: httptest.NewRecorder()}, make(chan bool)}
	start, ended := time.Now(), make(chan bool)
	go func() {
		defer close(ended)
		s.events(w, httptest.NewRequest("GET", "/", nil))
	}()
	<-w.flushed
	s.hub.send("an event")
	<-w.flushed
	cancel()
	<-ended
	if len(w.write) != 1 || w.write[0].Before(start.Add(long)) {
		t.Errorf("deadlines %v", w.write)
	}
}

// A page has the state of the server at once, before anything happens.
func TestHelloIsFlushed(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := newServer(ctx, Config{Linger: long}, func() {})
	d := &deadlines{ResponseRecorder: httptest.NewRecorder()}
	s.events(d, httptest.NewRequest("GET", "/", nil))
	if !d.Flushed || !strings.Contains(d.Body.String(), `"hello"`) {
		t.Errorf("flushed %v: %q", d.Flushed, d.Body)
	}
}
