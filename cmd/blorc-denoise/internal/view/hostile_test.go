package view

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
)

func header(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

func host(name string) func(*http.Request) {
	return func(r *http.Request) { r.Host = name }
}

func TestHostileRequests(t *testing.T) {
	v := start(t)
	_, port, _ := net.SplitHostPort(v.host)
	token := strings.Trim(strings.TrimPrefix(v.address, "http://"+v.host), "/")
	other := func(path string) func(*http.Request) {
		return func(r *http.Request) { r.URL.Path, r.URL.RawPath, r.URL.RawQuery = path, "", "" }
	}
	const run = `{"file":0,"page":0,"settings":` + plainSettings + `}`
	cases := []struct {
		name, method, path, body string
		want                     int
		change                   []func(*http.Request)
	}{
		{"the page", "GET", "", "", 200, nil},
		{"a script", "GET", "main.js", "", 200, nil},
		{"by name", "GET", "", "", 200, []func(*http.Request){host("localhost:" + port)}},
		{"its own origin", "GET", "", "", 200, []func(*http.Request){header("Origin", "http://"+v.host),
			header("Sec-Fetch-Site", "same-origin")}},
		{"typed", "GET", "", "", 200, []func(*http.Request){header("Sec-Fetch-Site", "none")}},
		{"a run", "POST", "api/run", run, 200, nil},

		{"no token", "GET", "", "", 403, []func(*http.Request){other("/")}},
		{"empty token", "GET", "", "", 403, []func(*http.Request){other("//")}},
		{"wrong token", "GET", "", "", 403, []func(*http.Request){other("/" + strings.Repeat("A", len(token)) + "/")}},
		{"half a token", "GET", "", "", 403, []func(*http.Request){other("/" + token[:len(token)-1] + "/")}},
		{"more than the token", "GET", "", "", 403, []func(*http.Request){other("/" + token + "A/")}},
		{"no slash", "GET", "", "", 403, []func(*http.Request){other("/" + token)}},
		{"token in the query", "GET", "", "", 403, []func(*http.Request){func(r *http.Request) {
			r.URL.Path,
				r.URL.RawQuery = "/", "token="+token
		}}},

		{"another host", "GET", "", "", 403, []func(*http.Request){host("evil.example:" + port)}},
		{"no port", "GET", "", "", 403, []func(*http.Request){host("127.0.0.1")}},
		{"another port", "GET", "", "", 403, []func(*http.Request){host("127.0.0.1:1")}},
		{"a host that begins alike", "GET", "", "", 403, []func(*http.Request){host("127.0.0.1.evil.example:" + port)}},
		{"another loopback address", "GET", "", "", 403, []func(*http.Request){host("127.0.0.2:" + port)}},

		{"another origin", "GET", "api/events", "", 403,
			[]func(*http.Request){header("Origin", "http://evil.example")}},
		{"another origin sends", "POST", "api/run", run, 403,
			[]func(*http.Request){header("Origin", "http://evil.example")}},
		{"an origin of another port", "POST", "api/run", run, 403,
			[]func(*http.Request){header("Origin", "http://127.0.0.1:1")}},
		{"the origin with https", "POST", "api/run", run, 403,
			[]func(*http.Request){header("Origin", "https://"+v.host)}},
		{"an origin of another name", "POST", "api/run", run, 403,
			[]func(*http.Request){header("Origin", "http://localhost:"+port)}},
		{"null origin", "POST", "api/run", run, 403, []func(*http.Request){header("Origin", "null")}},
		{"no origin", "POST", "api/run", run, 403,
			[]func(*http.Request){func(r *http.Request) { r.Header.Del("Origin") }}},
		{"two origins", "POST", "api/run", run, 403,
			[]func(*http.Request){func(r *http.Request) { r.Header.Add("Origin", "http://evil.example") }}},
		{"cross-site", "GET", "", "", 403, []func(*http.Request){header("Sec-Fetch-Site", "cross-site")}},
		{"same-site", "GET", "api/tile?run=1&level=0&x=0&y=0&side=before", "", 403,
			[]func(*http.Request){header("Sec-Fetch-Site", "same-site")}},
		{"a form", "POST", "api/run", run, 415, []func(*http.Request){header("Content-Type", "text/plain")}},
		{"a form of a browser", "POST", "api/save", run, 415, []func(*http.Request){header("Content-Type",
			"application/x-www-form-urlencoded")}},

		{"a path above", "GET", "", "", 404, []func(*http.Request){other("/../" + token + "/")}},
		{"a path below", "GET", "", "", 404, []func(*http.Request){other("/" + token + "/web/index.html")}},
		{"a file of the system", "GET", "", "", 404, []func(*http.Request){other("/" + token + "/etc/passwd")}},
		{"a path of several slashes", "GET", "", "", 404, []func(*http.Request){other("/" + token + "//")}},
		{"a folder", "GET", "", "", 404, []func(*http.Request){other("/" + token + "/api/")}},
		{"a file by name", "POST", "api/run", `{"file":"/etc/passwd","page":0,"settings":` + plainSettings + `}`, 400,
			nil},
		{"a file below 0", "POST", "api/run", `{"file":-1,"page":0,"settings":` + plainSettings + `}`, 404, nil},
		{"a file too many", "POST", "api/run", `{"file":3,"page":0,"settings":` + plainSettings + `}`, 404, nil},
		{"a huge number", "POST", "api/run", `{"file":1e300,"page":0,"settings":` + plainSettings + `}`, 400, nil},
		{"a page below 0", "POST", "api/run", `{"file":0,"page":-1,"settings":` + plainSettings + `}`, 404, nil},
		{"an unknown word", "POST", "api/run", `{"file":0,"output":"/etc/passwd"}`, 400, nil},
		{"an unknown kind", "POST", "api/run", `{"file":0,"settings":{"noise":"evil"}}`, 400, nil},
		{"no JSON", "POST", "api/run", `file=0`, 400, nil},
		{"two values", "POST", "api/run", run + run, 400, nil},
		{"nothing", "POST", "api/run", ``, 400, nil},
		{"too strong", "POST", "api/run", strings.Replace(run, `"strength":1`, `"strength":2`, 1), 422, nil},
		{"too much noise", "POST", "api/run", strings.NewReplacer("auto", "gaussian", `"sigma":0`,
			`"sigma":1e99`).Replace(run), 422, nil},
		{"deep JSON", "POST", "api/run", strings.Repeat("[", 100000), 400, nil},
		{"a huge body", "POST", "api/save", `{"files":[` + strings.Repeat(" ", 2<<20) + `]}`, 413, nil},
		{"to save a file that is not there", "POST", "api/save", `{"files":[{"file":9,"settings":` + plainSettings +
			`}]}`, 404, nil},
		{"a view of a planet", "POST", "api/look", `{"X":0,"Y":0,"W":2000000000,"H":1}`, 400, nil},
		{"a view before everything", "POST", "api/look", `{"X":-1000000000,"Y":-1000000000,"W":1,"H":1}`, 204, nil},
		{"a view of the wrong way", "POST", "api/look", `{"X":5,"Y":5,"W":-7,"H":-7}`, 204, nil},

		{"a tile of no run", "GET", "api/tile?run=77&level=0&x=0&y=0&side=before", "", 410, nil},
		{"a tile without numbers", "GET", "api/tile?run=a&level=0&x=0&y=0&side=before", "", 400, nil},
		{"a tile below 0", "GET", "api/tile?run=1&level=0&x=-1&y=0&side=before", "", 400, nil},
		{"a tile far away", "GET", "api/tile?run=1&level=0&x=99999999999999999999&y=0&side=before", "", 400, nil},
		{"another method", "DELETE", "api/run", "", 403, nil},
		{"another method with its origin", "PUT", "api/run", run, 405,
			[]func(*http.Request){header("Origin", "http://"+v.host)}},
		{"a huge header", "GET", "", "", 431, []func(*http.Request){header("X-Long", strings.Repeat("a", 32<<10))}},
	}
	for _, c := range cases {
		code, text := v.do(c.method, c.path, c.body, c.change...)
		if code != c.want {
			t.Errorf("%s: status %d (%.80s), want %d", c.name, code, text, c.want)
		}
		if code >= 400 && strings.Contains(text, token) {
			t.Errorf("%s: the token is in the answer", c.name)
		}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.saved) > 0 {
		t.Errorf("saved %v", v.saved)
	}
}

// Tiles that are not there are refused on all levels.
func TestTilesOutside(t *testing.T) {
	v := start(t)
	events, _ := v.listen()
	v.run(0, plainSettings)
	wait(t, events, "picture", nil)
	for _, at := range []string{"level=0&x=2&y=0", "level=0&x=0&y=1", "level=1&x=1&y=0", "level=12&x=0&y=0",
		"level=63&x=0&y=0", "level=64&x=0&y=0", "level=1000000&x=0&y=0"} {
		if code, _ := v.do("GET", "api/tile?run=1&side=before&"+at, ""); code != 404 {
			t.Errorf("%s: %d", at, code)
		}
	}
	if code, _ := v.do("GET", "api/tile?run=1&level=11&x=0&y=0&side=before", ""); code != 200 {
		t.Error(code)
	}
	if code, _ := v.do("GET", "api/tile?run=1&level=0&x=0&y=0&side=inside", ""); code != 400 {
		t.Error(code)
	}
}

// Raw requests that net/http would not send.
func TestRawRequests(t *testing.T) {
	v := start(t)
	token := strings.Trim(strings.TrimPrefix(v.address, "http://"+v.host), "/")
	for request, want := range map[string]string{
		"GET /" + token + "/../../etc/passwd HTTP/1.1\r\nHost: " + v.host + "\r\n\r\n":         "40",
		"GET /" + token + "/%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\nHost: " + v.host + "\r\n\r\n": "40",
		"GET /" + token + "/..%5c..%5cetc HTTP/1.1\r\nHost: " + v.host + "\r\n\r\n":            "404",
		"GET /" + token + "/ HTTP/1.1\r\nHost: " + v.host + "\r\nHost: a\r\n\r\n":              "400",
		"GET /" + token + "/ HTTP/1.1\r\n\r\n":                                                 "400",
		"GET /" + token + "/ HTTP/1.0\r\n\r\n":                                                 "403",
		"GET http://evil.example/" + token + "/ HTTP/1.1\r\nHost: " + v.host + "\r\n\r\n":      "403",
		"CONNECT " + v.host + " HTTP/1.1\r\nHost: " + v.host + "\r\n\r\n":                      "403",
		"\x16\x03\x01": "400",
	} {
		c, err := net.Dial("tcp", v.host)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(c, request, "\r\n\r\n")
		line, _ := bufio.NewReader(c).ReadString('\n')
		c.Close()
		if !strings.Contains(line, " "+want) {
			t.Errorf("%q: %q, want %s", request, line, want)
		}
	}
}

func TestOnce(t *testing.T) {
	v := start(t)
	get := func() *http.Response {
		r, _ := http.NewRequest("GET", v.once, nil)
		a, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		a.Body.Close()
		return a
	}
	first := get()
	if first.StatusCode != http.StatusSeeOther || "http://"+v.host+first.Header.Get("Location") != v.address {
		t.Error(first.StatusCode, first.Header)
	}
	if second := get(); second.StatusCode != http.StatusForbidden {
		t.Error(second.StatusCode)
	}
}

func TestHeaders(t *testing.T) {
	v := start(t)
	a, err := http.Get(v.address)
	if err != nil {
		t.Fatal(err)
	}
	a.Body.Close()
	for name, want := range map[string]string{
		"Content-Security-Policy": "default-src 'none'", "X-Content-Type-Options": "nosniff",
		"Referrer-Policy":              "no-referrer",
		"Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "no-store", "Content-Type": "text/html",
	} {
		if got := a.Header.Get(name); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q", name, got)
		}
	}
	if a.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Error("other origins are allowed")
	}
}

func TestTooManyPages(t *testing.T) {
	v := start(t)
	for range maxPages {
		events, _ := v.listen()
		wait(t, events, "hello", nil)
	}
	if code, _ := v.do("GET", "api/events", ""); code != http.StatusServiceUnavailable {
		t.Error(code)
	}
}

// FuzzBody sends any body to all requests that take one.
func FuzzBody(f *testing.F) {
	f.Add("api/run", `{"file":0,"page":0,"settings":`+plainSettings+`}`)
	f.Add("api/look", `{"X":0,"Y":0,"W":20,"H":1}`)
	f.Add("api/save", `{"files":[{"file":0,"settings":`+plainSettings+`}],"replace":true}`)
	f.Add("api/command", `{"files":[{"file":0,"settings":`+plainSettings+`}]}`)
	f.Add("api/cancel", `{}`)
	img := noisyScene(64, 48)
	data := encoded(f, img)
	ctx, cancel := context.WithCancel(context.Background())
	f.Cleanup(cancel)
	s := newServer(ctx, Config{
		Files:   []File{{Name: "a.png", Out: "b.png"}},
		Options: denoise.Options{Quality: denoise.Fast},
		Open:    func(int) (*imageio.Reader, error) { return imageio.NewReader(data, imageio.ReadOptions{}) },
		Save:    func(context.Context, int, denoise.Options, bool) (string, error) { return "", nil },
		Command: func([]Choice, bool) string { return "" },
	}, func() {})
	h := s.handler()
	f.Fuzz(func(t *testing.T, path, body string) {
		switch path {
		case "api/run", "api/look", "api/save", "api/command", "api/cancel":
		default:
			path = "api/run"
		}
		r := httptest.NewRequest("POST", "/"+path, bytes.NewReader([]byte(body)))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		switch w.Code {
		case 200, 204, 400, 404, 409, 413, 415, 422:
		default:
			t.Errorf("%s %q: %d", path, body, w.Code)
		}
	})
}
