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
	m.HandleFunc("GET /api/tile", sends(s.sendTile))
	m.HandleFunc("GET /api/result", sends(s.sendResult))
	m.HandleFunc("POST /api/add", sends(s.postAdd))
	m.HandleFunc("POST /api/choose", sends(s.postChoose))
	m.HandleFunc("POST /api/run", takes(s.postRun))
	m.HandleFunc("POST /api/look", takes(s.postLook))
	m.HandleFunc("POST /api/map", takes(s.postMap))
	m.HandleFunc("POST /api/save", takes(s.postSave))
	m.HandleFunc("POST /api/cancel", takes(s.postCancel))
	m.HandleFunc("POST /api/command", takes(s.postCommand))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.hub.touch()
		m.ServeHTTP(w, r)
	})
}

// refusal is the answer to a request that is wrong.
type refusal struct {
	code int
	why  string
}

func (r refusal) Error() string { return r.why }

// sends returns a handler that refuses a request where f returns an error. One that is no refusal is about the content
// of the request.
func sends(f func(w http.ResponseWriter, r *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var no refusal
		switch err := f(w, r); {
		case errors.As(err, &no):
			http.Error(w, no.why, no.code)
		case err != nil:
			http.Error(w, err.Error(), http.StatusUnprocessableEntity)
		}
	}
}

// takes returns a handler of requests with a T as JSON. What f returns is answered, and nil is no content.
func takes[T any](f func(ask T) (any, error)) http.HandlerFunc {
	return sends(func(w http.ResponseWriter, r *http.Request) error {
		var ask T
		if err := read(w, r, &ask); err != nil {
			return err
		}
		v, err := f(ask)
		switch {
		case err != nil:
			return err
		case v == nil:
			w.WriteHeader(http.StatusNoContent)
		default:
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(v) // the page may be gone
		}
		return nil
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
func (s *server) sendTile(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	var numbers [4]int
	for i, name := range []string{"run", "level", "x", "y"} {
		n, ok := number(q.Get(name), maxTilesAsk)
		if !ok {
			return refusal{http.StatusBadRequest, "wrong " + name}
		}
		numbers[i] = n
	}
	at := place{numbers[1], numbers[2], numbers[3]}
	s.mu.Lock()
	run := s.run
	s.mu.Unlock()
	switch {
	case run == nil || run.id != numbers[0]:
		return refusal{http.StatusGone, "this run has ended"}
	case !run.picture.has(at):
		return refusal{http.StatusNotFound, "no such tile"}
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
		return refusal{http.StatusBadRequest, "wrong side"}
	}
	if t == nil {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Length", strconv.Itoa(len(t)))
	w.Write(t)
	return nil
}

// read decodes a body.
func read(w http.ResponseWriter, r *http.Request, to any) error {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return refusal{http.StatusUnsupportedMediaType, "the body must be JSON"}
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
		return refusal{http.StatusRequestEntityTooLarge, "the request is too large"}
	case err != nil:
		return refusal{http.StatusBadRequest, "wrong request: " + err.Error()}
	}
	return nil
}

// known refuses a number that is no file of the list.
func (s *server) known(file int) error {
	if file < 0 || file >= len(s.files()) {
		return refusal{http.StatusNotFound, "no such file"}
	}
	return nil
}

type runAsk struct {
	File     int      `json:"file"`
	Page     int      `json:"page"`
	Settings settings `json:"settings"`
}

func (s *server) postRun(ask runAsk) (any, error) {
	if err := s.known(ask.File); err != nil {
		return nil, err
	}
	if ask.Page < 0 {
		return nil, refusal{http.StatusNotFound, "no such page"}
	}
	o, err := ask.Settings.options(s.c.Options)
	if err != nil {
		return nil, err
	}
	return map[string]int{"run": s.begin(ask.File, ask.Page, ask.Settings, o)}, nil
}

func (s *server) postLook(ask struct{ X, Y, W, H int }) (any, error) {
	const most = 1 << 30
	for _, v := range []int{ask.X, ask.Y, ask.W, ask.H} {
		if v < -most || v > most {
			return nil, refusal{http.StatusBadRequest, "out of range"}
		}
	}
	s.look(goimage.Rect(ask.X, ask.Y, ask.X+max(ask.W, 0), ask.Y+max(ask.H, 0)))
	return nil, nil
}

// choicesAsk chooses options for files.
type choicesAsk struct {
	Files []struct {
		File     int      `json:"file"`
		Settings settings `json:"settings"`
	} `json:"files"`
	Replace bool `json:"replace"`
}

// each calls f for each file in order, or says what is wrong.
func (s *server) each(ask choicesAsk, f func(file int, o denoise.Options)) error {
	for _, c := range ask.Files {
		if err := s.known(c.File); err != nil {
			return err
		}
		o, err := c.Settings.options(s.c.Options)
		if err != nil {
			return err
		}
		f(c.File, o)
	}
	return nil
}

// postSave saves files as they were chosen.
func (s *server) postSave(ask choicesAsk) (any, error) {
	var jobs []saveJob
	seen := map[int]bool{}
	err := s.each(ask, func(file int, o denoise.Options) {
		if !seen[file] {
			seen[file] = true
			jobs = append(jobs, saveJob{file, o, ask.Replace})
		}
	})
	if err == nil && !s.accept(jobs) {
		err = refusal{http.StatusConflict, "files are being saved already"}
	}
	return nil, err
}

func (s *server) postCancel(struct{}) (any, error) {
	s.cancelSaves()
	return nil, nil
}

// postCommand returns the command lines for files as they were chosen, one for each group of files with the same
// options.
func (s *server) postCommand(ask choicesAsk) (any, error) {
	var choices []Choice
	group := map[settings]int{}
	err := s.each(ask, func(file int, o denoise.Options) {
		key := settingsOf(o)
		i, found := group[key]
		if !found {
			i = len(choices)
			group[key] = i
			choices = append(choices, Choice{Options: o})
		}
		choices[i].Files = append(choices[i].Files, file)
	})
	if err != nil {
		return nil, err
	}
	return map[string]string{"command": s.c.Command(choices, ask.Replace)}, nil
}
