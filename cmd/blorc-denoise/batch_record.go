package main

import (
	"encoding/json"
	"sync"

	"github.com/blorc-denoise/blorc-denoise/denoise"
)

// runOptions is what all files of a run have in common, for records of what was done.
type runOptions struct {
	json        json.RawMessage
	fingerprint string
	err         error
}

// describeRun returns a function that describes the options of a run when it is first called.
func (f *denoiseFlags) describeRun(o denoise.Options) func() runOptions {
	return sync.OnceValue(func() (r runOptions) {
		all := f.fileOptions(o)
		all.Write = f.writeOptions("")
		if r.fingerprint, r.err = all.Fingerprint(); r.err != nil {
			return r
		}
		all.Workers, all.Read.Workers, all.Write.Workers = 0, 0, 0 // outputs do not depend on these
		all.Read.MaxPixels, all.Read.MaxBytes = 0, 0
		r.json, r.err = json.Marshal(all)
		return r
	})
}

// fileOptions returns how files are denoised. How they are written depends on the name of the output.
func (f *denoiseFlags) fileOptions(o denoise.Options) denoise.FileOptions {
	return denoise.FileOptions{Options: o, Read: f.read.ReadOptions, CopyUnsupported: bool(f.unsupported),
		Shots:    f.shots,
		NoDither: bool(f.write.dither)}
}
