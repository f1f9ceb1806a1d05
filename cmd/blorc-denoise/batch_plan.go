package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/batch"
	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/burst"
)

// plan is what a call will do.
type plan struct {
	*denoiseFlags
	selected
	u      *ui
	output batch.Output
	jobs   []batch.Job
	kept   []skipped
	about  func() runOptions
	share  func(batch.Job, float64) // is told how much of a file is done; may be nil

	forgets bool // the history cannot be written
}

// skipped is an item whose output exists.
type skipped struct {
	batch.Item
	why, advice string
}

// memoryFor returns what estimates the memory that a file takes, and the other shots of its scene with it.
func memoryFor(o denoise.Options, shots int) batch.Estimate {
	return func(i imageio.Info, fileBytes int64) int64 {
		all := denoise.Memory(i, fileBytes, o)
		if shots > 0 { // one at a time is laid over the mean
			all += burst.PixelBytes * int64(i.Width) * int64(i.Height)
		}
		return all
	}
}

func (p *plan) job(it batch.Item, o denoise.Options) batch.Job {
	return batch.Job{Item: it, Size: batch.Measure(it, p.readAny(), memoryFor(o, len(p.shots)))}
}

// plan finds inputs, names outputs and refuses conflicts. It does so for all shards, since all must refuse the same.
func (f *denoiseFlags) plan(ctx context.Context, u *ui, o denoise.Options) (*plan, error) {
	s, err := f.names.find(ctx, batch.DefaultSuffix)
	if err != nil {
		return nil, err
	}
	p := f.planFor(u, s)
	p.about = p.describeRun(o)
	if err := p.openHistory(); err != nil {
		return nil, err
	}
	f.read.Context = ctx
	for _, it := range s.items {
		if !f.batch.part.Takes(it.Rel) {
			continue
		}
		due, why := p.output.Due(it)
		switch {
		case due:
			p.jobs = append(p.jobs, p.job(it, o))
		case s.naming.InPlace && batch.HasBackup(it.Out):
			p.kept = append(p.kept, skipped{it, why, "it was done before"})
		case len(s.items) == 1:
			p.kept = append(p.kept, skipped{it, why, p.adviceFor(it)})
		default:
			p.kept = append(p.kept, skipped{it, why, overwriteAdvice})
		}
	}
	return p, nil
}

// planFor returns a plan without jobs.
func (f *denoiseFlags) planFor(u *ui, s selected) *plan {
	return &plan{denoiseFlags: f, u: u, selected: s,
		output: batch.Output{Folder: s.naming.Folder, InPlace: s.naming.InPlace, Backup: !f.names.noBackup,
			Overwrite: batch.Overwrite(f.batch.overwrite), Preserve: f.batch.preserve}}
}

// shotOptions returns how a file is denoised, with the other shots of its scene.
func (p *plan) shotOptions(o denoise.Options) denoise.FileOptions {
	all := p.fileOptions(o)
	all.Shots = p.shots
	return all
}

// runOptions is what all files of a run have in common, for records of what was done.
type runOptions struct {
	json        json.RawMessage
	fingerprint string
	err         error
}

// describeRun returns a function that describes the options of a run when it is first called.
func (p *plan) describeRun(o denoise.Options) func() runOptions {
	return sync.OnceValue(func() (r runOptions) {
		all := p.shotOptions(o)
		all.Write = p.writeOptions("")
		if r.fingerprint, r.err = all.Fingerprint(); r.err != nil {
			return r
		}
		all.Workers, all.Read.Workers, all.Write.Workers = 0, 0, 0 // outputs do not depend on these
		all.Read.MaxPixels, all.Read.MaxBytes = 0, 0
		r.json, r.err = json.Marshal(all)
		return r
	})
}

// openHistory opens what is remembered about outputs. Only --overwrite changed needs it.
func (p *plan) openHistory() (err error) {
	needed := p.output.Overwrite == batch.Changed
	if p.output.History, err = p.batch.history.open(); err != nil || p.output.History == nil {
		if needed {
			return usage("--overwrite changed needs --history FOLDER, which remembers how outputs were made")
		}
		return nil
	}
	if needed || p.output.InPlace && !p.output.Backup { // which is written down before a file is replaced
		about := p.about()
		p.output.Options = about.fingerprint
		return about.err
	}
	return nil
}

// remember adds what was made to the history. An error is told once, and only if the history was asked for.
func (p *plan) remember(it batch.Item, made batch.Made) {
	if p.forgets || p.output.History == nil || made.Out.SHA256 == "" || made.In.SHA256 == "" {
		return
	}
	about, to := p.about(), p.output // which other files are being written with
	to.Options = about.fingerprint
	err := about.err
	if err == nil {
		err = to.Remember(it, made)
	}
	if err == nil {
		return
	}
	if p.output.Overwrite == batch.Changed || p.batch.history.dir != "" {
		p.u.fail("", fmt.Errorf("how outputs were made cannot be remembered: %w", err))
	}
	p.forgets = true
}
