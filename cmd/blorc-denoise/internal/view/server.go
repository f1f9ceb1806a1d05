package view

import (
	"context"
	"errors"
	goimage "image"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// File is a file of the list.
type File struct {
	Name  string // as the user knows it
	Out   string // where it is saved
	Loose bool   // it came from the page and has no folder, so the browser keeps what is saved
}

// Refused is a file that cannot be shown.
type Refused struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

// Choice is files for which the same options were chosen.
type Choice struct {
	Files   []int
	Options denoise.Options
}

// Config is what a view shows and how it saves. All functions are called by several goroutines, with numbers of files
// that are in the list.
type Config struct {
	Files   []File
	Options denoise.Options     // to begin with
	Read    imageio.ReadOptions // White is used
	Replace bool                // outputs that exist are replaced, to begin with

	// Open opens a file, or says why it cannot be shown.
	Open func(file int) (*imageio.Reader, error)
	// Save denoises a file and writes it. It returns a line for the user.
	Save func(ctx context.Context, file int, o denoise.Options, replace bool) (string, error)
	// Command returns the command lines that save the files.
	Command func(choices []Choice, replace bool) string
	// Take keeps a picture that was dropped on the page, and says what it is in the list: the file after the last one.
	// Size is its bytes, or -1 if they are not known. If Take is nil, the page takes none.
	Take func(name string, size int64, content io.Reader) (File, error)
	// Choose lets the user choose files in a window of the system, and says what they are in the list, and which of
	// them cannot be shown. It is nil if there is no such window.
	Choose func(ctx context.Context) ([]File, []Refused, error)
	// Result opens what was saved of a file without a folder.
	Result func(file int) (name string, content io.ReadCloser, err error)
	// Ready is called once the page can be opened. Address works for as long as the server does, once for its first use
	// only.
	Ready func(address, once string)

	// Linger is how long the server goes on after the last page was closed; 0 means 5 seconds. A page that is loaded
	// again needs it.
	Linger time.Duration

	limits limits // usualLimits where it is zero
}

// defaultLinger is the time in which a page that is loaded again comes back.
const defaultLinger = 5 * time.Second

// server is the state behind the page.
type server struct {
	c       Config
	hub     *hub
	ctx     context.Context // ends with the server
	wake    chan struct{}
	opening sync.Mutex
	saves   sync.WaitGroup // the goroutine that saves
	work    sync.WaitGroup // goroutines that read and measure pictures
	// prepared is done once models are being loaded.
	prepared sync.Once
	maps     maps

	listMu sync.Mutex
	list   []File // never changed, only replaced
	adding sync.Mutex

	mu         sync.Mutex
	runs       int    // number of the last run
	last       *asked // what it is for; nil if it failed
	run        *run
	pictures   []*picture        // that of the run, and the next
	visible    goimage.Rectangle // in pixels of the picture
	running    job
	cancelPart context.CancelFunc // of the running part; nil if none runs
	cancelOpen context.CancelFunc
	drawn      time.Time // when the last histogram was sent
	waiting    []saveJob
	saving     int  // files that wait or are being saved
	saver      bool // saveAll runs
	cancelSave context.CancelFunc
}

// Serve shows files on a page until it is closed or the context ends. It closes the listener, which must be on a
// loopback address. Files that are being saved are finished when the page is closed, and not when the context ends.
func Serve(ctx context.Context, l net.Listener, c Config) error {
	if a, ok := l.Addr().(*net.TCPAddr); !ok || !a.IP.IsLoopback() {
		l.Close()
		return errors.New("not a loopback address")
	}
	if c.Linger == 0 {
		c.Linger = defaultLinger
	}
	if c.limits == (limits{}) {
		c.limits = usualLimits
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := newServer(ctx, c, nil)
	s.hub.onEmpty = func() {
		s.saves.Wait()
		if s.hub.empty() { // nobody came back meanwhile
			cancel()
		}
	}
	if len(c.Files) > 0 {
		s.begin(0, 0, settingsOf(c.Options), c.Options) // while the browser starts
	}
	var all sync.WaitGroup
	all.Go(func() { s.engine(ctx) })
	g := newGuard(l.Addr(), c.limits, s.handler())
	h := &http.Server{
		Handler:           g,
		ReadHeaderTimeout: c.limits.header,
		IdleTimeout:       c.limits.idle,
		ConnContext:       withConnection,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          log.New(io.Discard, "", 0), // of requests that are refused
	}
	stopped := context.AfterFunc(ctx, func() { h.Close() })
	defer stopped()
	if c.Ready != nil {
		base := "http://" + l.Addr().String() + "/"
		c.Ready(base+g.token+"/", base+g.once)
	}
	err := h.Serve(limitConnections(l, c.limits))
	cancel()
	s.saves.Wait()
	all.Wait()
	waitFor(&s.work, patience)
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// patience is how long the server waits at its end for work that cannot be interrupted, such as decoding a large file.
const patience = 2 * time.Second

func waitFor(g *sync.WaitGroup, most time.Duration) {
	done := make(chan struct{})
	go func() {
		g.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(most):
	}
}

func newServer(ctx context.Context, c Config, onEmpty func()) *server {
	return &server{c: c, list: c.Files, ctx: ctx, hub: newHub(c.Linger, onEmpty), wake: make(chan struct{}, 1)}
}
