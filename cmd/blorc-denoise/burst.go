package main

import (
	"context"
	"os"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/batch"
)

// checkBurst refuses what has no meaning for several shots that become one picture.
func (f *denoiseFlags) checkBurst(words []string) error {
	if !f.burst {
		return nil
	}
	for _, flag := range []struct {
		text  string
		given bool
	}{
		{"--together", f.solver.Together}, {"--in-place", f.names.inPlace}, {"--crop", !f.solver.Crop.Empty()},
		{"--shard", f.batch.shard != ""},
		{"--on-unsupported copy", bool(f.unsupported)},
		{"--overwrite changed", f.batch.overwrite == string(batch.Changed)}, {"-", f.names.piped(words)},
	} {
		if flag.given {
			return usage("--burst does not go with %s", flag.text)
		}
	}
	return nil
}

// takeShots returns the first of the shots of a burst, and keeps the others. Without --burst, it returns the words.
func (f *denoiseFlags) takeShots(ctx context.Context, words []string) ([]string, error) {
	if !f.burst {
		return words, nil
	}
	found, err := batch.Find(ctx, words, batch.FindOptions{Recursive: f.batch.recursive, Stdin: os.Stdin,
		Suffixes: []string{batch.DefaultSuffix}})
	if err != nil {
		return nil, err
	}
	if len(found.Refused) > 0 {
		return nil, fileError{found.Refused[0].Path, found.Refused[0].Err}
	}
	if len(found.Inputs) < 2 {
		return nil, usage("--burst needs several shots; %d was given", len(found.Inputs))
	}
	for _, i := range found.Inputs[1:] {
		f.shots = append(f.shots, i.Path)
	}
	return []string{found.Inputs[0].Path}, nil
}
