package view

import (
	"encoding/json"
	"sync"
	"time"
)

// hub sends events to all pages that listen, and notices when the last one is closed.
type hub struct {
	mu      sync.Mutex
	pages   map[chan []byte]bool
	closed  *time.Timer // runs when no page listens
	linger  time.Duration
	onEmpty func()
}

// waitingEvents is how many events a page may be behind before its connection is closed. It connects again and starts
// anew.
const waitingEvents = 256

// maxPages limits the pages that listen.
const maxPages = 8

func newHub(linger time.Duration, onEmpty func()) *hub {
	return &hub{pages: map[chan []byte]bool{}, linger: linger, onEmpty: onEmpty}
}

// join returns the events of a new page. It returns nil if there are too many.
func (h *hub) join() chan []byte {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.pages) >= maxPages {
		return nil
	}
	if h.closed != nil {
		h.closed.Stop()
		h.closed = nil
	}
	page := make(chan []byte, waitingEvents)
	h.pages[page] = true
	return page
}

// leave ends the events of a page. When no other joins within the time to linger, as a page does that is loaded again,
// the view ends.
func (h *hub) leave(page chan []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.pages[page] {
		delete(h.pages, page)
		close(page)
	}
	if len(h.pages) == 0 && h.closed == nil {
		h.closed = time.AfterFunc(h.linger, h.onEmpty)
	}
}

// touch gives a page that is being loaded the whole time to linger.
func (h *hub) touch() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed != nil && h.closed.Stop() {
		h.closed = time.AfterFunc(h.linger, h.onEmpty)
	}
}

// send sends an event to all pages.
func (h *hub) send(event any) {
	text, err := json.Marshal(event)
	if err != nil {
		panic(err) // events are plain structs
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for page := range h.pages {
		select {
		case page <- text:
		default:
			delete(h.pages, page)
			close(page)
		}
	}
}

// empty says whether no page listens.
func (h *hub) empty() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.pages) == 0
}
