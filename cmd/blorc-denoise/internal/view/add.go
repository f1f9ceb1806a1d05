package view

import (
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"time"
)

// maxFiles is how many files the list holds.
const maxFiles = 2000

// files returns the list as it is now.
func (s *server) files() []File {
	s.listMu.Lock()
	defer s.listMu.Unlock()
	return s.list
}

// addFiles adds files to the list and tells the pages.
func (s *server) addFiles(files ...File) {
	if len(files) == 0 {
		return
	}
	s.listMu.Lock()
	from := len(s.list)
	s.list = append(slices.Clone(s.list), files...)
	s.listMu.Unlock()
	s.hub.send(filesEvent{"files", from, infoOf(files)})
}

func infoOf(files []File) []fileInfo {
	all := []fileInfo{}
	for _, f := range files {
		all = append(all, fileInfo(f))
	}
	return all
}

// full refuses more files than the list takes.
func (s *server) full() error {
	if len(s.files()) < maxFiles {
		return nil
	}
	return refusal{http.StatusConflict, "no more pictures can be added"}
}

// postAdd takes over the bytes of a picture. They come from the page itself, which needs no path.
func (s *server) postAdd(w http.ResponseWriter, r *http.Request) error {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil ||
		kind != "application/octet-stream" {
		return refusal{http.StatusUnsupportedMediaType, "the body must be the bytes of a file"}
	}
	if s.c.Take == nil {
		return refusal{http.StatusNotFound, "this page takes no pictures"}
	}
	s.adding.Lock() // one after the other
	defer s.adding.Unlock()
	if err := s.full(); err != nil {
		return err
	}
	control := http.NewResponseController(w)
	body := steady{r.Body, control, s.c.limits.body}
	f, err := s.c.Take(r.URL.Query().Get("name"), r.ContentLength, body)
	if err != nil {
		_, _ = io.Copy(io.Discard, body) // some browsers read no answer before they have sent everything
	}
	s.deadline(w)
	if err != nil {
		return err
	}
	s.addFiles(f)
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// steady gives each part of a long body its own time.
type steady struct {
	io.Reader
	control *http.ResponseController
	time    time.Duration
}

func (s steady) Read(b []byte) (int, error) {
	_ = s.control.SetReadDeadline(time.Now().Add(s.time)) // tests have no connection
	return s.Reader.Read(b)
}

// postChoose lets the user choose files in a window of the system. The request names none.
func (s *server) postChoose(w http.ResponseWriter, r *http.Request) error {
	if err := read(w, r, &struct{}{}); err != nil {
		return err
	}
	if s.c.Choose == nil {
		return refusal{http.StatusNotFound, "there is no window to choose files"}
	}
	if !s.adding.TryLock() {
		return refusal{http.StatusConflict, "pictures are being added already"}
	}
	defer s.adding.Unlock()
	if err := s.full(); err != nil {
		return err
	}
	control := http.NewResponseController(w)
	_ = control.SetWriteDeadline(time.Time{}) // for as long as the user takes
	_ = control.SetReadDeadline(time.Time{})
	files, refused, err := s.c.Choose(r.Context())
	s.deadline(w)
	if err != nil {
		return err
	}
	s.addFiles(files...)
	w.Header().Set("Content-Type", "application/json")
	return json.NewEncoder(w).Encode(append([]Refused{}, refused...))
}

// sendResult sends what was saved of a file that has no folder, for the browser to keep.
func (s *server) sendResult(w http.ResponseWriter, r *http.Request) error {
	file, ok := number(r.URL.Query().Get("file"), maxFiles)
	if !ok {
		file = -1
	}
	if err := s.known(file); err != nil {
		return err
	}
	if s.c.Result == nil {
		return refusal{http.StatusNotFound, "404 page not found"}
	}
	name, content, err := s.c.Result(file)
	if err != nil {
		return refusal{http.StatusNotFound, err.Error()}
	}
	defer content.Close()
	h := w.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Content-Disposition", "attachment; filename*=UTF-8''"+url.PathEscape(name))
	_, _ = io.Copy(slowly{w, s}, content) // the page may be gone
	return nil
}

// slowly gives each part of a long answer its own time.
type slowly struct {
	w http.ResponseWriter
	s *server
}

func (s slowly) Write(b []byte) (int, error) {
	s.s.deadline(s.w)
	return s.w.Write(b)
}
