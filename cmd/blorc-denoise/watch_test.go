package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/pflag"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/must"
	"github.com/blorc-denoise/blorc-denoise/models"
	"github.com/blorc-denoise/blorc-denoise/watch"
)

func init() { scriptCommands["until"] = cmdUntil }

// until PATTERN COMMAND...: runs the command again and again until what it prints matches.
func cmdUntil(ts *testscript.TestScript, _ bool, args []string) {
	pattern := regexp.MustCompile(args[0])
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		ts.Exec(args[1], args[2:]...)
		if pattern.MatchString(ts.ReadFile("stdout")) {
			return
		}
		if time.Now().After(end) {
			ts.Fatalf("never came: %s", args[0])
		}
	}
}

// jobOf returns the job of command-line flags, and its fingerprint.
func jobOf(t *testing.T, args ...string) (*watchJob, string) {
	t.Helper()
	j, set := &watchJob{}, pflag.NewFlagSet("", pflag.ContinueOnError)
	j.add(set)
	if err := set.Parse(args); err != nil {
		t.Fatal(err)
	}
	fingerprint, err := j.prepare()
	if err != nil {
		t.Fatal(err)
	}
	return j, fingerprint
}

// Each flag makes another job, and the worker gets it whole.
func TestWorkerHasTheSameJob(t *testing.T) {
	seen := map[string]bool{}
	for _, args := range [][]string{{}, {"--sigma", "12.5"}, {"--sigma", "0"}, {"--model", "paper"},
		{"--strength", "0.3"}, {"--quality", "best"}, {"--stride", "3"},
		{"--white", "255"}, {"--jpeg-quality", "80"}, {"--strip"}, {"--noise", "camera"},
		{"--noise", "poisson", "--gain", "2"}, {"--on-unsupported", "copy"},
		{"--wrap"}, {"--interlaced"}} {
		j, fingerprint := jobOf(t, args...)
		text, err := json.Marshal(j.FileOptions)
		if err != nil {
			t.Fatal(err)
		}
		var worker denoise.FileOptions
		if err := json.Unmarshal(text, &worker); err != nil {
			t.Fatal(err)
		}
		if again, err := worker.Fingerprint(); err != nil || again != fingerprint ||
			!reflect.DeepEqual(worker, j.FileOptions) {
			t.Errorf("%v: the worker has another job: %+v (%v)", args, worker, err)
		}
		if seen[fingerprint] {
			t.Errorf("%v make no difference", args)
		}
		seen[fingerprint] = true
	}
}

// A fault in the work on a file gets as few tries as a worker that dies.
func TestFaultOfAWatchedFile(t *testing.T) {
	root := must.Get(os.OpenRoot(t.TempDir()))(t)
	defer root.Close()
	o := denoise.FileOptions{Look: func(int, *imageio.Image, bool) { panic("a fault") }}
	_, err := work(o)(t.Context(), "a.png", []byte("P5 1 1 255 x"), watch.Output{Root: root, Name: "a.png"})
	if !errors.Is(err, watch.ErrCrashed) || !strings.HasSuffix(err.Error(), "fault in the program: a fault") {
		t.Error(err)
	}
}

// Whatever noise level is found, its model has been warmed.
func TestWarmedModelsAreAllThatAreAskedFor(t *testing.T) {
	j, _ := jobOf(t)
	o := j.Options
	asked := map[string]bool{}
	for _, one := range warmups(o) {
		r, err := denoise.Planes(context.Background(), noisyPlanes(1, 16), 16, 16, one)
		if err != nil {
			t.Fatal(err)
		}
		asked[strings.TrimPrefix(r.Model, "unet + ")] = true
	}
	for _, e := range models.List() {
		if want := e.Name == models.Default; asked[fmt.Sprintf("%s %g", e.Name, e.Sigma)] != want {
			t.Errorf("%s %g: warmed %v, want %v", e.Name, e.Sigma, !want, want)
		}
	}
}
