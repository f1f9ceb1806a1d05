// Level draws the pictures that the level of broad noise is learned from, and trains the models that refine such
// pictures:
//
//	level -data DIR draw            draw noisy pictures, and measure the inputs of the networks and what each level gives
//	level -data DIR broad           denoise these pictures, and train the models that refine broad noise with them
//
// The script fit.py fits the networks of package level to what draw has written.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "level:", err)
		os.Exit(1)
	}
}

// job holds the flags.
type job struct {
	data, drawn, models   string
	count, workers, steps int
	final                 bool
}

func run() error {
	var j job
	flag.StringVar(&j.data, "data", "",
		"folder with cbsd432, urban100/train, bsd400, micrographs, photographs and real")
	flag.StringVar(&j.drawn, "drawn", "level-drawn.jsonl",
		"file of what was measured of drawn pictures; a run that was stopped goes on")
	flag.IntVar(&j.count, "count", 4000, "number of pictures")
	flag.IntVar(&j.workers, "workers", 0, "pictures that are measured at a time; 0 means one for each processor")
	flag.BoolVar(&j.final, "final", false,
		"train on all files; without it, one in six is kept aside to see how well it goes")
	flag.StringVar(&j.models, "models", "../models", "folder for the models that refine pictures with broad noise")
	flag.IntVar(&j.steps, "steps", 8_000, "steps of the training of each of those, at each size")
	flag.Parse()
	g, err := newGenerator(j.data)
	if err != nil {
		return err
	}
	switch flag.Arg(0) {
	case "draw":
		return j.draw(g)
	case "broad":
		return j.trainBroad(g)
	}
	return errors.New("say draw or broad")
}
