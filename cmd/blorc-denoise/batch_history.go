package main

import (
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/batch"
)

// historyFlag is the folder with the record of how outputs were made. It is not beside the outputs, whose folders
// belong to the user.
type historyFlag struct{ dir string }

func (h *historyFlag) add(f *pflag.FlagSet, what string) {
	f.StringVar(&h.dir, "history", "", what+" (`FOLDER`, or none; default in the user's cache folder)")
}

// open returns the history. An error says that there can be none.
func (h *historyFlag) open() (*batch.History, error) {
	switch h.dir {
	case "none":
		return nil, nil
	case "":
		cache, err := os.UserCacheDir()
		if err != nil {
			return nil, err
		}
		return batch.OpenHistory(filepath.Join(cache, program, "history")), nil
	}
	return batch.OpenHistory(h.dir), nil
}
