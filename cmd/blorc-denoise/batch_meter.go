package main

import (
	"fmt"
	"sync"
	"time"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/batch"
	"github.com/blorc-denoise/blorc-denoise/denoise"
)

// meter shows on a terminal how far a batch is. Files at work tell it their shares from goroutines of their own.
type meter struct {
	u       *ui
	options denoise.Options
	start   time.Time
	total   int   // files
	all     int64 // pixels of all files

	mu           sync.Mutex
	done, failed int                // files
	pixels       int64              // of the files that are done
	parts        map[string]float64 // pixels that are done of the files at work
	shown        time.Time
}

// meterPause is the least time between two lines about shares.
const meterPause = 200 * time.Millisecond

// files shows how many files are done, and how many of them failed.
func (m *meter) files(done, failed int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.done, m.failed = done, failed
	m.show()
}

// end adds a file that is no longer at work.
func (m *meter) end(j batch.Job) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.parts, j.Path)
	m.pixels += j.Size.Pixels()
}

// share notes how much of a file at work is done.
func (m *meter) share(j batch.Job, share float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.parts == nil {
		m.parts = map[string]float64{}
	}
	m.parts[j.Path] = share * float64(j.Size.Pixels())
	if time.Since(m.shown) >= meterPause {
		m.show()
	}
}

func (m *meter) show() {
	m.shown = time.Now()
	pixels := float64(m.pixels)
	for _, p := range m.parts {
		pixels += p
	}
	text := fmt.Sprintf("%d of %d files, %.1f of %.1f megapixels", m.done, m.total, pixels/1e6, float64(m.all)/1e6)
	if seconds := time.Since(m.start).Seconds(); pixels > 0 && seconds > 2 {
		rate := pixels / seconds
		text += fmt.Sprintf(", %.2f a second%s", rate/1e6, timeLeft(max(0, float64(m.all)-pixels)/rate, m.options))
	}
	if m.failed > 0 {
		text += fmt.Sprintf(", %d failed", m.failed)
	}
	m.u.show("%s", text)
}

// timeLeft says how long the rest will take and, if that is long, what takes less.
func timeLeft(seconds float64, o denoise.Options) string {
	text := fmt.Sprintf(", %s left", duration(seconds))
	if seconds > 60 && o.Quality != denoise.Fast && !o.Together {
		text += " (--quality fast takes less)"
	}
	return text
}
