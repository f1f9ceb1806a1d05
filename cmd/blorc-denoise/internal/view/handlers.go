package view

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	goimage "image"
	"io"
	"mime"
	"net/http"
	"path"
	"strconv"
	"time"

	"github.com/blorc-denoise/blorc-denoise/denoise"
)

//go:embed web
var web embed.FS

// Limits of requests.
const (
	maxBody     = 1 << 20 // the settings of some thousand files
	heartbeat   = 10 * time.Second
	maxTilesAsk = 1 << 20
)

func (s *server) handler() http.Handler {
	m := http.NewServeMux()
	entries, err := web.ReadDir("web")
	if err != nil {
		panic(err) // they are embedded
	}
	for _, e := range entries {
		m.HandleFunc("GET /"+e.Name(), asset(e.Name()))
	}
	m.HandleFunc("GET /{$}", asset("index.html"))
	m.HandleFunc("GET /api/events", s.events)
	m.HandleFunc("GET /api/tile", s.sendTile)
	m.HandleFunc("GET /api/result", s.sendResult)
	m.HandleFunc("POST /api/add", s.postAdd)
	m.HandleFunc("POST /api/choose", s.postChoose)
	m.HandleFunc("POST /api/run", s.postRun)
	m.HandleFunc("POST /api/look", s.postLook)
	m.HandleFunc("POST /api/map", s.postMap)
	m.HandleFunc("POST /api/save", s.postSave)
	m.HandleFunc("POST /api/cancel", s.postCancel)
	m.HandleFunc("POST /api/command", s.postCommand)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.hub.touch()
		m.ServeHTTP(w, r)
	})
}

// asset serves an embedded file.
func asset(name string) http.HandlerFunc {
	data, err := web.ReadFile("web/" + name)
	if err != nil {
		panic(err) // it is embedded
	}
	kind := mime.TypeByExtension(path.Ext(name))
	switch path.Ext(name) { // the types of the system may differ
	case ".js":
		kind = "text/javascript; charset=utf-8"
	case ".css":
		kind = "text/css; charset=utf-8"
	case ".html":
		kind = "text/html; charset=utf-8"
	case ".svg":
		kind = "image/svg+xml"
	}
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.Write(data)
	}
}

// events sends events until the page is closed.
func (s *server) events(w http.ResponseWriter, r *http.Request) {
	page := s.hub.join()
	if page == nil {
		http.Error(w, "too many pages", http.StatusServiceUnavailable)
		return
	}
	defer s.hub.leave(page)
	out := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	hello, err := json.Marshal(s.hello())
	if err != nil {
		panic(err) // plain structs
	}
	if fmt.Fprintf(w, "retry: 500\ndata: %s\n\n", hello); out.Flush() != nil {
		return
	}
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		text := ": still here\n\n"
		select {
		case event, ok := <-page:
			if !ok {
				return
			}
			text = "data: " + string(event) + "\n\n"
		case <-beat.C:
		case <-r.Context().Done():
			return
		case <-s.ctx.Done():
			return
		}
		_ = out.SetWriteDeadline(time.Now().Add(s.c.limits.write))
		if _, err := io.WriteString(w, text); err != nil {
			return
		}
		if len(page) == 0 && out.Flush() != nil {
			return
		}
	}
}

func (s *server) hello() helloEvent {
	return helloEvent{Kind: "hello", Settings: settingsOf(s.c.Options), Model: s.c.Options.Models.String(),
		Replace: s.c.Replace, TileSide: tileSide,
		Files: infoOf(s.files()), Takes: s.c.Take != nil, Chooses: s.c.Choose != nil}
}

// number reads a number of a query.
func number(text string, most int) (n int, ok bool) {
	n, err := strconv.Atoi(text)
	return n, err == nil && n >= 0 && n <= most
}

// sendTile sends the 4 bytes of each pixel of a tile. A tile after denoising that is the input still has no content.
func (s *server) sendTile(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	var numbers [4]int
	for i, name := range []string{"run", "level", "x", "y"} {
		n, ok := number(q.Get(name), maxTilesAsk)
		if !ok {
			http.Error(w, "wrong "+name, http.StatusBadRequest)
			return
		}
		numbers[i] = n
	}
	at := place{numbers[1], numbers[2], numbers[3]}
	s.mu.Lock()
	run := s.run
	s.mu.Unlock()
	switch {
	case run == nil || run.id != numbers[0]:
		http.Error(w, "this run has ended", http.StatusGone)
		return
	case !run.picture.has(at):
		http.Error(w, "no such tile", http.StatusNotFound)
		return
	}
	var t tile
	switch q.Get("side") {
	case "before":
		t = run.picture.tile(at)
	case "after":
		s.mu.Lock()
		if !run.untouched(at) {
			t = run.tile(at)
		}
		s.mu.Unlock()
	default:
		http.Error(w, "wrong side", http.StatusBadRequest)
		return
	}
	if t == nil {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Length", strconv.Itoa(len(t)))
	w.Write(t)
}

// read decodes a body. It answers a wrong one itself and returns false.
func read(w http.ResponseWriter, r *http.Request, to any) bool {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		http.Error(w, "the body must be JSON", http.StatusUnsupportedMediaType)
		return false
	}
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	d.DisallowUnknownFields()
	err := d.Decode(to)
	if err == nil && d.More() {
		err = errors.New("more than one value")
	}
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		http.Error(w, "the request is too large", http.StatusRequestEntityTooLarge)
	case err != nil:
		http.Error(w, "wrong request: "+err.Error(), http.StatusBadRequest)
	}
	return err == nil
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // the page may be gone
}

// known answers a number that is no file of the list, and returns false.
func (s *server) known(w http.ResponseWriter, file int) bool {
	if file < 0 || file >= len(s.files()) {
		http.Error(w, "no such file", http.StatusNotFound)
		return false
	}
	return true
}

// choice returns the options of settings. It answers wrong ones itself and returns false.
func (s *server) choice(w http.ResponseWriter, chosen settings) (denoise.Options, bool) {
	o, err := chosen.options(s.c.Options)
	if err != nil {
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
	}
	return o, err == nil
}

func (s *server) postRun(w http.ResponseWriter, r *http.Request) {
	var ask struct {
		File     int      `json:"file"`
		Page     int      `json:"page"`
		Settings settings `json:"settings"`
	}
	if !read(w, r, &ask) || !s.known(w, ask.File) {
		return
	}
	if ask.Page < 0 {
		http.Error(w, "no such page", http.StatusNotFound)
		return
	}
	o, ok := s.choice(w, ask.Settings)
	if !ok {
		return
	}
	answer(w, map[string]int{"run": s.begin(ask.File, ask.Page, ask.Settings, o)})
}

func (s *server) postLook(w http.ResponseWriter, r *http.Request) {
	var ask struct{ X, Y, W, H int }
	if !read(w, r, &ask) {
		return
	}
	const most = 1 << 30
	for _, v := range []int{ask.X, ask.Y, ask.W, ask.H} {
		if v < -most || v > most {
			http.Error(w, "out of range", http.StatusBadRequest)
			return
		}
	}
	s.look(goimage.Rect(ask.X, ask.Y, ask.X+max(ask.W, 0), ask.Y+max(ask.H, 0)))
	w.WriteHeader(http.StatusNoContent)
}

// eachChoice reads a request that chooses options for files, and calls f for each file in order. If the request is
// refused, it answers and returns false.
func (s *server) eachChoice(w http.ResponseWriter, r *http.Request, f func(file int, o denoise.Options)) (replace,
	ok bool) {
	var ask struct {
		Files   []fileChoice `json:"files"`
		Replace bool         `json:"replace"`
	}
	if !read(w, r, &ask) {
		return false, false
	}
	for _, c := range ask.Files {
		if !s.known(w, c.File) {
			return false, false
		}
		o, ok := s.choice(w, c.Settings)
		if !ok {
			return false, false
		}
		f(c.File, o)
	}
	return ask.Replace, true
}

// postSave saves files as they were chosen.
func (s *server) postSave(w http.ResponseWriter, r *http.Request) {
	var jobs []saveJob
	seen := map[int]bool{}
	replace, ok := s.eachChoice(w, r, func(file int, o denoise.Options) {
		if !seen[file] {
			seen[file] = true
			jobs = append(jobs, saveJob{file: file, options: o})
		}
	})
	if !ok {
		return
	}
	for i := range jobs {
		jobs[i].replace = replace
	}
	if !s.accept(jobs) {
		http.Error(w, "files are being saved already", http.StatusConflict)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (s *server) postCancel(w http.ResponseWriter, r *http.Request) {
	var ask struct{}
	if !read(w, r, &ask) {
		return
	}
	s.cancelSaves()
	w.WriteHeader(http.StatusNoContent)
}

// postCommand returns the command lines for files as they were chosen, one for each group of files with the same
// options.
func (s *server) postCommand(w http.ResponseWriter, r *http.Request) {
	var choices []Choice
	group := map[settings]int{}
	replace, ok := s.eachChoice(w, r, func(file int, o denoise.Options) {
		key := settingsOf(o)
		i, found := group[key]
		if !found {
			i = len(choices)
			group[key] = i
			choices = append(choices, Choice{Options: o})
		}
		choices[i].Files = append(choices[i].Files, file)
	})
	if ok {
		answer(w, map[string]string{"command": s.c.Command(choices, replace)})
	}
}
