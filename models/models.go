// Package models embeds the models that ship with the program. TRAINING.md and the files themselves describe how each
// was trained.
package models

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/blorc-denoise/blorc-denoise/model"
)

//go:embed *[0-9].safetensors SHA256SUMS
var files embed.FS

// Default is the name of the default family, which denoises groups of similar patches after the stages of the family
// Local. Balanced quality runs two of its passes, best quality all three, and fast quality none. Its passes serve
// several levels of noise, and have a file for each.
const Default = "nonlocal"

// Local is the name of the family that denoises each patch on its own.
const Local = "local"

// Luma is the name of the model that refines the brightness after the stages of the family Local, for all levels of
// noise.
const Luma = "luma"

// Chroma is the name of the model that refines the chroma planes of colour images, for all levels of noise.
const Chroma = "chroma"

// BroadLuma and BroadChroma are the names of the models that refine pictures with spatially correlated noise, as
// cameras, scanners and JPEG files have it, after all other stages.
const (
	BroadLuma   = "broad-luma"
	BroadChroma = "broad-chroma"
)

// Refines reports whether a model refines the result of other models. No image can be denoised with it alone.
func Refines(name string) bool {
	return slices.Contains([]string{Luma, Chroma, BroadLuma, BroadChroma}, name)
}

// Entry is a shipped model.
type Entry struct {
	Name  string
	Sigma float64 // in gray levels of 0-255
	// Files hold the model: one named NAME-SIGMA.safetensors, or the stages of a level and the passes that follow them.
	Files []string
}

// List returns the shipped models, sorted by name and sigma.
func List() []Entry { return slices.Clone(list()) }

var list = sync.OnceValue(func() []Entry {
	entries := stored()
	passes := slices.DeleteFunc(slices.Clone(entries), func(e Entry) bool { return e.Name != Default })
	for _, p := range passes { // these files hold the local stages of their level, too
		entries = append(entries, Entry{Local, p.Sigma, p.Files})
	}
	for _, e := range slices.Clone(entries) {
		isOwn := func(p Entry) bool { return p.Sigma == e.Sigma }
		if e.Name == Local && !slices.ContainsFunc(passes, isOwn) {
			entries = append(entries, Entry{Default, e.Sigma,
				[]string{e.Files[0], following(passes, e.Sigma).Files[0]}})
		}
	}
	slices.SortFunc(entries, func(a, b Entry) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), cmp.Compare(a.Sigma, b.Sigma))
	})
	return entries
})

// following returns the passes for a level without own ones: those of the next higher level, or of the highest. Local
// stages leave less noise than there was, in units of which passes see their pilots.
func following(passes []Entry, sigma float64) Entry {
	for _, p := range passes {
		if p.Sigma >= sigma {
			return p
		}
	}
	return passes[len(passes)-1]
}

// stored returns the models that have a file of their own name, sorted as List.
func stored() (entries []Entry) {
	names, err := files.ReadDir(".")
	if err != nil {
		panic(err) // the files are part of the binary
	}
	for _, f := range names {
		name := strings.TrimSuffix(f.Name(), ".safetensors")
		last := strings.LastIndex(name, "-")
		v, err := strconv.ParseFloat(name[last+1:], 64)
		if last >= 0 && err == nil && path.Ext(f.Name()) == ".safetensors" {
			entries = append(entries, Entry{name[:last], v, []string{f.Name()}})
		}
	}
	slices.SortFunc(entries, func(a, b Entry) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), cmp.Compare(a.Sigma, b.Sigma))
	})
	return entries
}

// sums returns the digests in SHA256SUMS by file name.
var sums = sync.OnceValue(func() map[string]string {
	text, err := files.ReadFile("SHA256SUMS")
	if err != nil {
		panic(err)
	}
	m := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) == 2 {
			m[f[1]] = f[0]
		}
	}
	return m
})

var loaded sync.Map // file name -> func() (*model.Model, error)

// Load returns a copy of the model. All copies share their weights, which must not be changed. It returns an error of
// the kind model.ErrFormat if the digest of a file is not the one in SHA256SUMS.
func (e Entry) Load() (*model.Model, error) {
	m, err := shared(e.Files[0])
	if err != nil {
		return nil, err
	}
	own := *m
	own.Name = e.Name
	if m.Name != e.Name || len(e.Files) == 2 { // it was validated as another one
		own.Validation, own.ValidationPSNR = "", 0
	}
	switch {
	case m.Name != e.Name && e.Name == Local:
		own.Stages, _ = m.Stages.Split()
	case len(e.Files) == 2:
		then, err := shared(e.Files[1])
		if err != nil {
			return nil, err
		}
		_, passes := then.Stages.Split()
		own.Stages = slices.Concat(m.Stages, passes)
		own.Training += fmt.Sprintf(" Then the passes of %s.", e.Files[1])
	}
	own.Stages, own.Chroma = slices.Clone(own.Stages), slices.Clone(own.Chroma)
	return &own, nil
}

// shared returns the same model to all calls for a file.
func shared(file string) (*model.Model, error) {
	once, _ := loaded.LoadOrStore(file, sync.OnceValues(func() (*model.Model, error) {
		data, err := files.ReadFile(file)
		if err == nil {
			err = verify(file, data)
		}
		if err != nil {
			return nil, err
		}
		return model.Unmarshal(data)
	}))
	return once.(func() (*model.Model, error))()
}

// Family holds the models of one name, for different noise levels.
type Family []Entry

// Named returns the family with the given name, or an error that lists the known names.
func Named(name string) (Family, error) {
	var f Family
	var known []string
	for _, e := range list() {
		if e.Name == name {
			f = append(f, e)
		}
		if !Refines(e.Name) && !slices.Contains(known, e.Name) {
			known = append(known, e.Name)
		}
	}
	if len(f) == 0 {
		return nil, fmt.Errorf("no model is named %q; there are: %s", name, strings.Join(known, ", "))
	}
	return f, nil
}

// Digest returns the SHA-256 digests of the files of the family, one after the other in hexadecimal.
func (f Family) Digest() string {
	var all strings.Builder
	for _, e := range f {
		for _, file := range e.Files {
			all.WriteString(sums()[file])
		}
	}
	return all.String()
}

// Choose returns the model whose sigma has the ratio closest to 1 to the given one, in gray levels of 0-255. Models
// work at any sigma, by scaling.
func (f Family) Choose(sigma float64) (*model.Model, error) {
	if len(f) == 0 {
		return nil, errors.New("a family without models")
	}
	best := slices.MinFunc(f, func(a, b Entry) int {
		d := math.Abs(math.Log(a.Sigma/sigma)) - math.Abs(math.Log(b.Sigma/sigma))
		switch {
		case d < 0:
			return -1
		case d > 0:
			return 1
		}
		return 0
	})
	return best.Load()
}
