package main

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/batch"
	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/disk"
)

// maxKindsTold is how many kinds of files are named.
const maxKindsTold = 10

// adviceFor says how to come to pictures from files of an extension, or why they are there.
func adviceFor(ext string) string {
	if ext == filepath.Ext(batch.BackupName("")) {
		return "kept there by --in-place"
	}
	kind, _ := imageio.OtherKindOf(ext)
	return kind.Advice
}

// describePassed says how many files of which kinds were passed over, by their extensions: a line for each advice.
func describePassed(kinds map[string]int) (lines []string) {
	names := slices.SortedFunc(maps.Keys(kinds), func(a, b string) int {
		return cmp.Or(cmp.Compare(kinds[b], kinds[a]), cmp.Compare(a, b))
	})
	told := map[string][]string{}
	var order []string // of advice
	add := func(advice, text string) {
		if told[advice] == nil {
			order = append(order, advice)
		}
		told[advice] = append(told[advice], text)
	}
	for _, name := range names[:min(len(names), maxKindsTold)] {
		text := fmt.Sprintf("%d %s", kinds[name], name)
		if name == "" {
			text = fmt.Sprintf("%d without an extension", kinds[name])
		}
		add(adviceFor(name), text)
	}
	if others := names[min(len(names), maxKindsTold):]; len(others) > 0 {
		files := 0
		for _, name := range others {
			files += kinds[name]
		}
		add("", fmt.Sprintf("%d of %d other kinds", files, len(others)))
	}
	for _, advice := range order {
		line := strings.Join(told[advice], ", ")
		if advice != "" {
			line += ": " + advice
		}
		lines = append(lines, line)
	}
	return lines
}

// sayPassed prints what was passed over.
func (u *ui) sayPassed(kinds map[string]int) {
	for _, line := range describePassed(kinds) {
		u.say("passed over: %s", line)
	}
}

// passedFiles remembers which files a daemon has passed over, each once. It logs the first of each kind for which there
// is advice: a daemon may not end for months.
type passedFiles struct {
	log   *slog.Logger // nil for none
	mu    sync.Mutex
	seed  maphash.Seed
	names map[uint64]bool
	kinds map[string]int
}

func newPassedFiles() *passedFiles {
	return &passedFiles{seed: maphash.MakeSeed(), names: map[uint64]bool{}, kinds: map[string]int{}}
}

// Limits on what is remembered, for folders with files without end.
const (
	maxPassedNames = 1 << 20
	maxPassedKinds = 1000
)

// match says which files of the input folder are inputs, and counts the others.
func (p *passedFiles) match(name string) bool {
	if isImageName(name) {
		return true
	}
	base := name[strings.LastIndexByte(name, '/')+1:]
	if disk.Hidden(base) {
		return false
	}
	key, kind := maphash.String(p.seed, name), batch.Kind(base)
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.names[key] && len(p.names) < maxPassedNames && (len(p.kinds) < maxPassedKinds || p.kinds[kind] > 0) {
		p.names[key] = true
		if p.kinds[kind]++; p.kinds[kind] == 1 && p.log != nil && adviceFor(kind) != "" {
			p.log.Info("passed over, as others of its kind", "file", name, "advice", adviceFor(kind))
		}
	}
	return false
}

// String describes what was passed over. It is empty if nothing was.
func (p *passedFiles) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(describePassed(p.kinds), "; ")
}
