package view

import (
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

// full says whether the list takes no more files, and answers that.
func (s *server) full(w http.ResponseWriter) bool {
	if len(s.files()) < maxFiles {
		return false
	}
	http.Error(w, "no more pictures can be added", http.StatusConflict)
	return true
}

// postAdd takes over the bytes of a picture. They come from the page itself, which needs no path.
func (s *server) postAdd(w http.ResponseWriter, r *http.Request) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil ||
		kind != "application/octet-stream" {
		http.Error(w, "the body must be the bytes of a file", http.StatusUnsupportedMediaType)
		return
	}
	if s.c.Take == nil {
		http.Error(w, "this page takes no pictures", http.StatusNotFound)
		return
	}
	s.adding.Lock() // one after the other
	defer s.adding.Unlock()
	if s.full(w) {
		return
	}
	control := http.NewResponseController(w)
	body := steady{r.Body, control, s.c.limits.body}
	f, err := s.c.Take(r.URL.Query().Get("name"), r.ContentLength, body)
	if err != nil {
		_, _ = io.Copy(io.Discard, body) // some browsers read no answer before they have sent everything
	}
	_ = control.SetReadDeadline(time.Time{})
	s.deadline(w)
	if err != nil {
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
		return
	}
	s.addFiles(f)
	w.WriteHeader(http.StatusNoContent)
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
func (s *server) postChoose(w http.ResponseWriter, r *http.Request) {
	var ask struct{}
	if !read(w, r, &ask) {
		return
	}
	if s.c.Choose == nil {
		http.Error(w, "there is no window to choose files", http.StatusNotFound)
		return
	}
	if !s.adding.TryLock() {
		http.Error(w, "pictures are being added already", http.StatusConflict)
		return
	}
	defer s.adding.Unlock()
	if s.full(w) {
		return
	}
	control := http.NewResponseController(w)
	_ = control.SetWriteDeadline(time.Time{}) // for as long as the user takes
	_ = control.SetReadDeadline(time.Time{})
	files, err := s.c.Choose(r.Context())
	s.deadline(w)
	if err != nil {
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
		return
	}
	s.addFiles(files...)
	w.WriteHeader(http.StatusNoContent)
}

// sendResult sends what was saved of a file that has no folder, for the browser to keep.
func (s *server) sendResult(w http.ResponseWriter, r *http.Request) {
	file, ok := number(r.URL.Query().Get("file"), maxFiles)
	if !ok {
		file = -1
	}
	if !s.known(w, file) {
		return
	}
	if s.c.Result == nil {
		http.NotFound(w, r)
		return
	}
	name, content, err := s.c.Result(file)
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	defer content.Close()
	h := w.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Content-Disposition", "attachment; filename*=UTF-8''"+url.PathEscape(name))
	_, _ = io.Copy(slowly{w, s}, content) // the page may be gone
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
