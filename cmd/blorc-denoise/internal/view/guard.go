package view

import (
	"net"
	"net/http"
	"path"
	"strings"
	"sync"
)

// guard lets requests of the page pass, and refuses all others. See the package comment.
type guard struct {
	token  string
	hosts  []string // allowed values of the Host header
	limits limits
	next   http.Handler

	mu      sync.Mutex
	once    string // the token of the address that works once; "" after its use
	serving chan struct{}
}

func newGuard(addr net.Addr, most limits, next http.Handler) *guard {
	_, port, _ := net.SplitHostPort(addr.String())
	g := &guard{token: newToken(), once: newToken(), limits: most, next: next,
		serving: make(chan struct{}, most.serving)}
	for _, name := range []string{"127.0.0.1", "localhost", "[::1]"} {
		g.hosts = append(g.hosts, name+":"+port)
	}
	return g
}

// policy allows what the page needs from this server, and nothing from elsewhere.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	timed(w, r, g.limits.body, g.limits.write)
	if !g.knows(r.Host) {
		g.refuse(w, r, "wrong host", http.StatusForbidden)
		return
	}
	if !sameOrigin(r) {
		g.refuse(w, r, "requests of other pages are refused", http.StatusForbidden)
		return
	}
	first, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	switch {
	case path.Clean("/"+rest) != "/"+rest:
		g.refuse(w, r, "wrong path", http.StatusNotFound) // with dots or several slashes; nothing is looked up
	case sameToken(first, g.token) && strings.HasPrefix(r.URL.Path, "/"+first+"/"):
		if !know(r) {
			g.refuse(w, r, "too many connections at a time", http.StatusServiceUnavailable)
			return
		}
		select {
		case g.serving <- struct{}{}:
			defer func() { <-g.serving }()
		default:
			g.refuse(w, r, "too many requests at a time", http.StatusServiceUnavailable)
			return
		}
		clone := r.Clone(r.Context())
		clone.URL.Path, clone.URL.RawPath = "/"+rest, ""
		g.next.ServeHTTP(w, clone)
	case r.Method == http.MethodGet && g.useOnce(first):
		http.Redirect(w, r, "/"+g.token+"/", http.StatusSeeOther)
	default:
		g.refuse(w, r, "wrong token: use the address that blorc-denoise printed", http.StatusForbidden)
	}
}

// refuse answers a request that is not served, and ends its connection. What is left of its body is not waited for.
func (g *guard) refuse(w http.ResponseWriter, r *http.Request, why string, code int) {
	timed(w, r, g.limits.refused, g.limits.write)
	w.Header().Set("Connection", "close")
	http.Error(w, why, code)
}

func (g *guard) knows(host string) bool {
	for _, h := range g.hosts {
		if strings.EqualFold(host, h) {
			return true
		}
	}
	return false
}

// sameOrigin refuses what a browser says comes from another page. A request that changes something must have an Origin,
// as all browsers send it.
func sameOrigin(r *http.Request) bool {
	switch site := r.Header.Get("Sec-Fetch-Site"); site {
	case "", "same-origin":
	case "none": // typed, or opened by a program
		if r.Method != http.MethodGet {
			return false
		}
	default:
		return false
	}
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		return r.Method == http.MethodGet || r.Method == http.MethodHead
	}
	return len(origins) == 1 && strings.EqualFold(origins[0], "http://"+r.Host)
}

// useOnce says whether a token is the one that works once, and uses it up.
func (g *guard) useOnce(token string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.once == "" || !sameToken(token, g.once) {
		return false
	}
	g.once = ""
	return true
}
