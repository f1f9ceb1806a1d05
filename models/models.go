// Package models holds the models that ship inside the binary. How each was trained is in TRAINING.md beside them and in
// the files themselves.
package models

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/blorc-denoise/blorc-denoise/model"
)

//go:embed *.safetensors SHA256SUMS
var files embed.FS

// Default is the name of the family that is used if no other is asked for: groups of similar patches. With one pass it
// gains about a decibel on the family Local for two to three times the time, which is still seconds for a photograph.
const Default = "nonlocal"

// Local is the name of the family that denoises each patch on its own.
const Local = "local"

// Entry is a shipped model. Its file is named NAME-SIGMA.safetensors.
type Entry struct {
	Name  string
	Sigma float64 // in grey levels of 0-255
	File  string
}

// List returns the shipped models by name and sigma.
var List = sync.OnceValue(func() []Entry {
	names, err := files.ReadDir(".")
	if err != nil {
		panic(err) // the files are part of the binary
	}
	var entries []Entry
	for _, f := range names {
		name, sigma, ok := strings.Cut(strings.TrimSuffix(f.Name(), ".safetensors"), "-")
		v, err := strconv.ParseFloat(sigma, 64)
		if ok && err == nil && path.Ext(f.Name()) == ".safetensors" {
			entries = append(entries, Entry{name, v, f.Name()})
		}
	}
	slices.SortFunc(entries, func(a, b Entry) int {
		if c := strings.Compare(a.Name, b.Name); c != 0 {
			return c
		}
		return int(math.Copysign(1, a.Sigma-b.Sigma))
	})
	return entries
})

// sums is the content of SHA256SUMS, by file name.
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

// Bytes returns the file of a model after comparing it with SHA256SUMS.
func (e Entry) Bytes() ([]byte, error) {
	data, err := files.ReadFile(e.File)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	if sums()[e.File] != hex.EncodeToString(sum[:]) {
		return nil, fmt.Errorf("model %s: %w: it is not the one in SHA256SUMS", e.File, model.ErrFormat)
	}
	return data, nil
}

var loaded sync.Map // file name -> func() (*model.Model, error)

// Load returns the model. Each is read once.
func (e Entry) Load() (*model.Model, error) {
	once, _ := loaded.LoadOrStore(e.File, sync.OnceValues(func() (*model.Model, error) {
		data, err := e.Bytes()
		if err != nil {
			return nil, err
		}
		return model.Unmarshal(data)
	}))
	return once.(func() (*model.Model, error))()
}

// Family is the models of one name, for different noise levels.
type Family []Entry

// Named returns the family with the given name.
func Named(name string) (Family, error) {
	var f Family
	var known []string
	for _, e := range List() {
		if e.Name == name {
			f = append(f, e)
		}
		if !slices.Contains(known, e.Name) {
			known = append(known, e.Name)
		}
	}
	if len(f) == 0 {
		return nil, fmt.Errorf("no model is named %q; there are: %s", name, strings.Join(known, ", "))
	}
	return f, nil
}

// Digest returns the digests of the models' files.
func (f Family) Digest() string {
	var all strings.Builder
	for _, e := range f {
		all.WriteString(sums()[e.File])
	}
	return all.String()
}

// Choose returns the model whose sigma is nearest in ratio to the given one; its transforms serve any sigma by scaling.
func (f Family) Choose(sigma float64) (*model.Model, error) {
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
