package main

import (
	"context"
	"fmt"
	"regexp"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/models"
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

// The worker must get every flag that the output depends on.
func TestWorkerHasTheSameJob(t *testing.T) {
	parse := func(args ...string) (*watchJob, string) {
		j := &watchJob{sigma: denoise.EstimateSigma}
		c := &cobra.Command{}
		j.add(c)
		if err := c.ParseFlags(args); err != nil {
			t.Fatal(err)
		}
		_, params, err := j.prepare()
		if err != nil {
			t.Fatal(err)
		}
		return j, params
	}
	seen := map[string]bool{}
	for _, args := range [][]string{{}, {"--sigma", "12.5"}, {"--model", "paper"}, {"--strength", "0.3"}, {"--quality", "best"}, {"--stride", "3"},
		{"--white", "255"}, {"--jpeg-quality", "80"}} {
		j, params := parse(args...)
		if _, again := parse(j.args()...); again != params {
			t.Errorf("%v: the worker has another job", args)
		}
		if seen[params] {
			t.Errorf("%v make no difference", args)
		}
		seen[params] = true
	}
}

// Whatever noise level is found, its model has been warmed.
func TestWarmedModelsAreAllThatAreAskedFor(t *testing.T) {
	o, _, err := (&watchJob{sigma: denoise.EstimateSigma, model: models.Default, solver: solverFlags{strength: 1, quality: "fast", noise: noiseFlags{kind: "auto", flags: &pflag.FlagSet{}}},
		read: readFlags{imageio.ReadOptions{White: 1, MaxPixels: 1}}}).prepare()
	if err != nil {
		t.Fatal(err)
	}
	asked := map[string]bool{}
	for _, one := range warmups(o) {
		r, err := denoise.Planes(context.Background(), noisyPlanes(1, 16), 16, 16, one)
		if err != nil {
			t.Fatal(err)
		}
		asked[r.Model] = true
	}
	for _, e := range models.List() {
		if want := e.Name == models.Default || e.Name == "camera"; asked[fmt.Sprintf("%s %g", e.Name, e.Sigma)] != want {
			t.Errorf("%s %g: warmed %v, want %v", e.Name, e.Sigma, !want, want)
		}
	}
}
