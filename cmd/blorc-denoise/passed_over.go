package main

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/batch"
	"github.com/blorc-denoise/blorc-denoise/internal/disk"
)

// advice says what kinds of files are and how to come to pictures from there, by extensions.
var advice = func() map[string]string {
	all := map[string]string{}
	for text, extensions := range map[string]string{
		"raw: convert to DNG first": ".3fr .arw .cr2 .cr3 .crw .dcr .erf .fff .iiq .kdc .mef .mos .mrw .nef .nrw " +
			".orf .pef .raf .raw .rw2 .rwl .sr2 .srf " +
			".srw .x3f",
		"export TIFF or PNG first": ".avif .bmp .dds .exr .gif .hdr .heic .heif .hif .ico .j2k .jp2 .jpf .jpx .jxl " +
			".jxr .pam .pbm .pcx .pfm .pgm .pnm .ppm " +
			".psb .psd .qoi .svg .tga .webp .xcf",
		"export TIFF first": ".czi .dcm .dicom .fit .fits .fts .ics .ids .ims .lif .lsm .mrc .nd2 .oib .oif " +
			".oir .scn .svs .vms .vsi .zvi",
		"video: pipe frames":       ".avi .flv .m2ts .m4v .mkv .mov .mp4 .mpeg .mpg .mts .mxf .ogv .webm .wmv",
		"document: export images":  ".djvu .pdf .ps",
		"kept there by --in-place": ".orig",
	} {
		for _, e := range strings.Fields(extensions) {
			all[e] = text
		}
	}
	return all
}()

// maxKindsTold is how many kinds of files are named.
const maxKindsTold = 10

// describePassed says how many files of which kinds were passed over, by their extensions.
func describePassed(kinds map[string]int) string {
	names := slices.SortedFunc(maps.Keys(kinds), func(a, b string) int {
		return cmp.Or(cmp.Compare(kinds[b], kinds[a]), cmp.Compare(a, b))
	})
	var told []string
	others, files := 0, 0
	for _, name := range names {
		n := kinds[name]
		switch text, ok := advice[name]; {
		case len(told) == maxKindsTold:
			others, files = others+1, files+n
		case name == "":
			told = append(told, fmt.Sprintf("%d without an extension", n))
		case ok:
			told = append(told, fmt.Sprintf("%d %s (%s)", n, name, text))
		default:
			told = append(told, fmt.Sprintf("%d %s", n, name))
		}
	}
	if others > 0 {
		told = append(told, fmt.Sprintf("%d of %d other kinds", files, others))
	}
	return strings.Join(told, ", ")
}

// passedFiles remembers which files a daemon has passed over, each once.
type passedFiles struct {
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
		p.kinds[kind]++
	}
	return false
}

// String describes what was passed over. It is empty if nothing was.
func (p *passedFiles) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return describePassed(p.kinds)
}
