package main

import (
	"context"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/blorc-denoise/blorc-denoise/internal/disk"
	"github.com/blorc-denoise/blorc-denoise/watch"
)

// live runs the daemon, with sweeping, metrics unless their listener is nil, and the signals that main does not handle.
func (f *watchFlags) live(ctx context.Context, d *watch.Daemon, metrics net.Listener) error {
	signal.Ignore(syscall.SIGPIPE) // the reader of the log may go away
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	defer signal.Stop(hangup)
	if f.options.Once {
		f.sweep() // after --once the folder is swept
	} else {
		go f.beside(ctx, d, hangup)
	}
	if metrics != nil {
		f.options.Log.Info("metrics", "address", metrics.Addr().String())
		server := metricsServer(d.Handler())
		go server.Serve(metrics)
		context.AfterFunc(ctx, func() { server.Close() })
	}
	watch.TellSystemd("READY=1")
	s, err := d.Run(ctx)
	watch.TellSystemd("STOPPING=1")
	if text := f.passed.String(); text != "" {
		f.options.Log.Info("passed over: " + text)
	}
	if err != nil {
		return err
	}
	if f.options.Once && (s.Failed+s.FailedBefore+s.Left > 0) {
		return silent(exitFailed)
	}
	return nil
}

func (f *watchFlags) beside(ctx context.Context, d *watch.Daemon, hangup <-chan os.Signal) {
	sweep := time.NewTicker(time.Hour)
	defer sweep.Stop()
	f.sweep()
	for {
		select {
		case <-hangup:
			f.options.Log.Info("looking through the input folder, as SIGHUP asks for")
			d.Rescan()
		case <-sweep.C:
			f.sweep()
		case <-ctx.Done():
			return
		}
	}
}

// sweep removes temporary files of killed workers. Files written to in the last minute may belong to a running program.
func (f *watchFlags) sweep() {
	out, err := disk.Open(f.options.Out)
	if err != nil {
		return // the job will tell
	}
	defer out.Close()
	out.SweepTempAll(time.Minute, func(folder string, n int, err error) {
		if n > 0 {
			f.options.Log.Info("removed what killed workers left", "folder", folder, "files", n)
		}
		if err != nil {
			f.options.Log.Warn("sweep", "folder", folder, "error", err)
		}
	})
}

// listen takes the address of --metrics. It returns nil if there is none.
func (f *watchFlags) listen() (net.Listener, error) {
	if f.metrics == "" {
		return nil, nil
	}
	host, port, err := net.SplitHostPort(f.metrics)
	if err != nil {
		return nil, usage("--metrics: %v; give HOST:PORT or :PORT", err)
	}
	if _, err := net.LookupPort("tcp", port); err != nil {
		return nil, usage("--metrics: %v", err)
	}
	if host == "" {
		host = "127.0.0.1" // not "localhost", which a container may have no address for
	}
	return net.Listen("tcp", net.JoinHostPort(host, port))
}

// metricsServer returns a server that hangs up on clients which do not go on, so that they cannot use up the open files
// of the daemon.
func metricsServer(h http.Handler) *http.Server {
	return &http.Server{Handler: h, ReadTimeout: 5 * time.Second, WriteTimeout: 5 * time.Second,
		IdleTimeout: 2 * time.Minute}
}
