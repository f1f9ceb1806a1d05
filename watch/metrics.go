package watch

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
)

// stats are counted by Run.
type stats struct {
	done, failed, retries, waits int
	before                       int // files that failed in an earlier run; see Options.Once
	seconds                      float64
	buckets                      [len(bounds) + 1]int
}

// bounds are the upper bounds of the histogram's buckets, in seconds.
var bounds = [...]float64{0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300}

func (s *stats) count(r result) {
	switch r.verdict {
	case done:
		s.done++
	case failed:
		s.failed++
	}
	switch r.outcome {
	case retries:
		s.retries++
	case waits:
		s.waits++
	}
	if r.verdict == unknown {
		return
	}
	t, i := r.worked.Seconds(), 0
	for i < len(bounds) && t > bounds[i] {
		i++
	}
	s.buckets[i]++
	s.seconds += t
}

// Snapshot is the state of a running daemon.
type Snapshot struct {
	Pending      int           // files seen and not finished
	Oldest       time.Duration // since the first of them was seen
	Working      string        // the file that is worked on
	Done, Failed int           // since the start
	Polling      bool          // there are no events for some or all folders
	Scans        uint32        // since the start
	ScanError    error         // of the last scan
	Troubles     int           // failures of the output side or of the worker process in a row
	trouble      error         // the last of them
	stats        stats
}

func (d *Daemon) snapshot() Snapshot {
	s := Snapshot{
		Pending: len(d.files), Done: d.stats.done, Failed: d.stats.failed, Polling: d.scan.polling,
		Scans: d.scan.number, ScanError: d.scan.err, Troubles: d.troubles, trouble: d.trouble, stats: d.stats,
	}
	for _, f := range d.files {
		s.Oldest = max(s.Oldest, time.Since(f.first))
	}
	if d.working != nil {
		s.Working = d.working.name
	}
	return s
}

// Snapshot asks Run how it is doing. It can be called from any goroutine. It returns the error of the context, or
// context.Canceled after Run has ended.
func (d *Daemon) Snapshot(ctx context.Context) (Snapshot, error) {
	answer := make(chan Snapshot, 1)
	select {
	case d.questions <- answer:
		return <-answer, nil
	case <-ctx.Done():
		return Snapshot{}, ctx.Err()
	case <-d.ended:
		return Snapshot{}, context.Canceled
	}
}

// Handler serves /metrics, in the text format of Prometheus, and /healthz, which answers 200 if files can be found and
// written, and 503 with the reason if not.
func (d *Daemon) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		s, err := d.answer(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Content-Type", "text/plain; version=0.0.4")
		s.write(w)
		metric(w, "failed_files", "gauge", "Files of the input folder that failed and were not done since.",
			d.ledger.failing())
	})
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) {
		s, err := d.answer(r)
		switch {
		case err != nil:
		case s.ScanError != nil:
			err = s.ScanError
		case s.Troubles > 0:
			err = fmt.Errorf("the last %d tries failed, and not because of what the file holds: %w", s.Troubles,
				s.trouble)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	return mux
}

func (d *Daemon) answer(r *http.Request) (Snapshot, error) {
	ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
	defer cancel()
	return d.Snapshot(ctx)
}

func (s Snapshot) write(w io.Writer) {
	metric := func(name, kind, help string, value any) { metric(w, name, kind, help, value) }
	flag := map[bool]int{true: 1}
	metric("pending", "gauge", "Files that are seen and not finished.", s.Pending)
	metric("oldest_seconds", "gauge", "Time since the oldest of them was seen.", s.Oldest.Seconds())
	metric("working", "gauge", "1 while a job runs.", flag[s.Working != ""])
	metric("done_total", "counter", "Jobs that were done.", s.Done)
	metric("failed_total", "counter", "Files that were refused.", s.Failed)
	metric("retries_total", "counter", "Tries that will be repeated.", s.stats.retries)
	metric("changing_total", "counter", "Times that a file was found to be changing still.", s.stats.waits)
	metric("polling", "gauge", "1 if file system events do not come.", flag[s.Polling])
	metric("scans_total", "counter", "Scans of the input folder.", s.Scans)
	metric("scan_failed", "gauge", "1 if the last scan had errors.", flag[s.ScanError != nil])
	metric("output_troubles", "gauge", "Failures to write, or to start the worker, in a row.", s.Troubles)
	s.writeHistogram(w)
}

func metric(w io.Writer, name, kind, help string, value any) {
	fmt.Fprintf(w, "# HELP blorc_watch_%s %s\n# TYPE blorc_watch_%s %s\nblorc_watch_%s %v\n", name, help, name, kind,
		name, value)
}

func (s Snapshot) writeHistogram(w io.Writer) {
	const name = "blorc_watch_job_seconds"
	fmt.Fprintf(w, "# HELP %s Time from taking a file to the verdict.\n# TYPE %s histogram\n", name, name)
	sum := 0
	for i, b := range bounds {
		sum += s.stats.buckets[i]
		fmt.Fprintf(w, "%s_bucket{le=\"%g\"} %d\n", name, b, sum)
	}
	sum += s.stats.buckets[len(bounds)]
	fmt.Fprintf(w, "%s_bucket{le=\"+Inf\"} %d\n%s_sum %g\n%s_count %d\n", name, sum, name, s.stats.seconds, name, sum)
}
