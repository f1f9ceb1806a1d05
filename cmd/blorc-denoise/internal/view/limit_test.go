package view

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"
)

// long is far more than a test takes: what ends before it was ended by another limit.
const long = time.Hour

// soon is the limit that a test is about, and late is when it has surely passed.
const (
	soon = 100 * time.Millisecond
	late = 20 * time.Second
)

func longLimits() limits {
	return limits{header: long, body: long, refused: long, write: long, idle: long, connections: 64, strangers: 256,
		serving: 32}
}

// dial opens a connection and sends the beginning of a request.
func (v *testView) dial(text string) net.Conn {
	v.t.Helper()
	c, err := net.Dial("tcp", v.host)
	if err != nil {
		v.t.Fatal(err)
	}
	v.t.Cleanup(func() { c.Close() })
	if _, err := io.WriteString(c, text); err != nil {
		v.t.Fatal(err)
	}
	return c
}

// hungUp says whether the server ends a connection before it is late. It reads what comes before.
func hungUp(c net.Conn) bool {
	c.SetReadDeadline(time.Now().Add(late))
	_, err := io.Copy(io.Discard, c)
	return !errors.Is(err, os.ErrDeadlineExceeded)
}

func (v *testView) token() string {
	return strings.Trim(strings.TrimPrefix(v.address, "http://"+v.host), "/")
}

func TestTokensCannotBeGuessed(t *testing.T) {
	seen := map[string]bool{}
	for range 100 {
		text := newToken()
		if b, err := base64.RawURLEncoding.DecodeString(text); err != nil || len(b) < 24 || seen[text] {
			t.Errorf("%q: %d bytes, %v", text, len(b), err)
		}
		seen[text] = true
	}
	if !sameToken("abc", "abc") || sameToken("abc", "abd") || sameToken("abc", "abcd") || sameToken("", "a") {
		t.Error("tokens are compared wrongly")
	}
}

// A connection ends whose header or body does not come, whoever it is of.
func TestSlowSendersEnd(t *testing.T) {
	header, body, refused, idle := longLimits(), longLimits(), longLimits(), longLimits()
	header.header, body.body, refused.refused, idle.idle = soon, soon, soon, soon
	for name, c := range map[string]struct {
		most limits
		text string
	}{
		"nothing":       {header, ""},
		"half a header": {header, "GET / HTTP/1.1\r\nHost: HOST\r\nX"},
		"half a body": {body,
			"POST /TOKEN/api/run HTTP/1.1\r\nHost: HOST\r\nOrigin: http://HOST\r\nContent-Type: " +
				"application/json\r\nContent-Length: 1000\r\n\r\n{"},
		"half a chunk": {body,
			"POST /TOKEN/api/run HTTP/1.1\r\nHost: HOST\r\nOrigin: http://HOST\r\nContent-Type: " +
				"application/json\r\nTransfer-Encoding: chunked\r\n\r\n100\r\n{"},
		"a body for no handler": {body,
			"POST /TOKEN/none HTTP/1.1\r\nHost: HOST\r\nOrigin: http://HOST\r\nContent-Length: 1000\r\n\r\n"},
		"a body without token": {refused,
			"POST /x HTTP/1.1\r\nHost: HOST\r\nOrigin: http://HOST\r\nContent-Length: 1000\r\n\r\n"},
		"a body without origin": {refused, "POST /x HTTP/1.1\r\nHost: HOST\r\nContent-Length: 1000\r\n\r\n"},
		"a body for another host": {refused,
			"POST /x HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 1000\r\n\r\n"},
		"a body for a path above": {refused,
			"POST /TOKEN/../x HTTP/1.1\r\nHost: HOST\r\nOrigin: http://HOST\r\nContent-Length: 1000\r\n\r\n"},
		"no second request":          {idle, "GET /TOKEN/ HTTP/1.1\r\nHost: HOST\r\n\r\n"},
		"no request after a refusal": {longLimits(), "GET / HTTP/1.1\r\nHost: HOST\r\n\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			v := startWithin(t, c.most)
			if !hungUp(v.dial(strings.NewReplacer("HOST", v.host, "TOKEN", v.token()).Replace(c.text))) {
				t.Error("the connection stays")
			}
		})
	}
}

// A connection ends whose browser does not take the answers.
func TestSlowReadersEnd(t *testing.T) {
	most := longLimits()
	most.write = soon
	v := startWithin(t, most)
	one := "GET /" + v.token() + "/main.js HTTP/1.1\r\nHost: " + v.host + "\r\n\r\n"
	c := v.dial(one)
	c.SetWriteDeadline(time.Now().Add(late))
	for {
		if _, err := io.WriteString(c, strings.Repeat(one, 100)); err != nil {
			if errors.Is(err, os.ErrDeadlineExceeded) {
				t.Error("the connection stays")
			}
			return
		}
	}
}

// Five hundred connections of strangers, whatever they have sent, do not keep a page out, nor end one that is open.
func TestStrangersKeepNobodyOut(t *testing.T) {
	for name, text := range map[string]string{
		"nothing": "", "half a header": "GET / HTTP/1.1\r\nX",
		"half a body": "POST /x HTTP/1.1\r\nHost: HOST\r\nContent-Length: 1000\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			v := startWithin(t, longLimits())
			events, _ := v.listen()
			wait(t, events, "hello", nil)
			text := strings.ReplaceAll(text, "HOST", v.host)
			for range 500 {
				v.dial(text)
			}
			client := http.Client{Timeout: late, Transport: &http.Transport{DisableKeepAlives: true}}
			a, err := client.Get(v.address)
			if err != nil || a.StatusCode != http.StatusOK {
				t.Fatal(a, err)
			}
			a.Body.Close()
			v.run(0, plainSettings)
			wait(t, events, "picture", nil)
		})
	}
}

// Connections of strangers, and those of pages, have a limit.
func TestConnectionsAreLimited(t *testing.T) {
	most := longLimits()
	most.strangers, most.connections = 5, 3
	v := startWithin(t, most)
	first := v.dial("")
	for range most.strangers {
		v.dial("")
	}
	if !hungUp(first) {
		t.Error("the first stranger stays")
	}
	one := "GET /" + v.token() + "/ HTTP/1.1\r\nHost: " + v.host + "\r\n\r\n"
	for i := range most.connections + 1 {
		a, err := http.ReadResponse(bufio.NewReader(v.dial(one)), nil)
		if want := map[bool]int{false: 200, true: 503}[i == most.connections]; err != nil || a.StatusCode != want {
			t.Errorf("connection %d: %v, %v, want %d", i, a, err, want)
		}
	}
}

// Requests have a limit of how many are served at a time.
func TestRequestsAreLimited(t *testing.T) {
	most := longLimits()
	most.serving = 2
	begun, hold := make(chan bool), make(chan bool)
	g := newGuard(&net.TCPAddr{Port: 1}, most, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		begun <- true
		<-hold
	}))
	get := func() int {
		r := httptest.NewRequest("GET", "/"+g.token+"/", nil)
		r.Host = "127.0.0.1:1"
		w := httptest.NewRecorder()
		g.ServeHTTP(w, r)
		return w.Code
	}
	for range most.serving {
		go get()
		<-begun
	}
	answers := make(chan int, 1)
	go func() { answers <- get() }()
	select {
	case code := <-answers:
		if code != http.StatusServiceUnavailable {
			t.Error(code)
		}
	case <-begun:
		t.Error("one too many is served")
	}
	close(hold)
}

// A body of any length takes no more memory than its limit.
func TestBodiesAreLimited(t *testing.T) {
	s := newServer(context.Background(), Config{Files: []File{{}}}, func() {})
	for _, size := range []int{maxBody / 2, 2 * maxBody} {
		text := fmt.Sprintf(`{"files":[%s]}`, bytes.Repeat([]byte(" "), size))
		r := httptest.NewRequest("POST", "/api/save", strings.NewReader(text))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		s.handler().ServeHTTP(w, r)
		if tooLarge := w.Code == http.StatusRequestEntityTooLarge; tooLarge != (size > maxBody) {
			t.Errorf("%d bytes: %d", size, w.Code)
		}
	}
}
