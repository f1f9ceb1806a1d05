package models

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/blorc-denoise/blorc-denoise/internal/unet"
	"github.com/blorc-denoise/blorc-denoise/model"
)

// NetworkEntry is a shipped U-Net, which removes white Gaussian noise of every level from images of a number of planes.
// unet.py trained it. It makes pilots for the models of the family Default.
type NetworkEntry struct {
	Name   string
	Planes int
	File   string

	channels []int // of each level
	load     func() (*unet.Network, error)
}

var networks = []NetworkEntry{networkEntry("unet-colour", 3), networkEntry("unet-gray", 1)}

func networkEntry(name string, planes int) NetworkEntry {
	file := name + ".safetensors"
	return NetworkEntry{name, planes, file, []int{48, 96, 160, 192}, networkIn(file)}
}

// Networks returns the shipped U-Nets.
func Networks() []NetworkEntry { return slices.Clone(networks) }

func networkIn(file string) func() (*unet.Network, error) {
	return sync.OnceValues(func() (*unet.Network, error) {
		data, err := read(file)
		if err != nil {
			return nil, err
		}
		n, err := unet.Read(data)
		if err != nil {
			return nil, fmt.Errorf("model %s: %w: %w", file, model.ErrFormat, err)
		}
		return n, nil
	})
}

// Check reports what is wrong with the file of the network.
func (e NetworkEntry) Check() error {
	_, err := e.load()
	return err
}

// RunNetwork replaces one gray plane or three colour planes of width x height samples, row by row, by what the U-Net
// for such images makes of them. Sigma is the level of the noise on the scale of the samples. Levels holds the share of
// sigma at each sample, at most 1; nil means 1 everywhere. Progress, if it is not nil, is called with the share of the
// work that is done. When the context is done, RunNetwork soon returns its error; the planes mean nothing then.
func RunNetwork(ctx context.Context, planes [][]float32, levels []float32, width, height int, sigma float32,
	workers int,
	progress func(share float64)) error {
	e, err := networkFor(len(planes))
	if err != nil {
		return err
	}
	n, err := e.load()
	if err != nil {
		return err
	}
	return n.DenoiseUneven(ctx, planes, levels, width, height, sigma, workers, progress)
}

func networkFor(planes int) (NetworkEntry, error) {
	i := slices.IndexFunc(networks, func(e NetworkEntry) bool { return e.Planes == planes })
	if i < 0 {
		return NetworkEntry{}, fmt.Errorf("no U-Net is for images of %d planes", planes)
	}
	return networks[i], nil
}

// NetworkMemory returns about how many bytes the U-Net for one or three planes takes while it runs, besides its
// weights. It does not load them. For other numbers of planes it returns 0.
func NetworkMemory(planes, width, height, workers int) int64 {
	e, err := networkFor(planes)
	if err != nil {
		return 0
	}
	return unet.Memory(planes, e.channels, width, height, workers)
}

// NetworkDigest returns the SHA-256 digests of the files of all U-Nets, one after the other in hexadecimal.
func NetworkDigest() string {
	var all strings.Builder
	for _, e := range networks {
		all.WriteString(sums()[e.File])
	}
	return all.String()
}

// read returns the content of a file whose digest is the one in SHA256SUMS.
func read(file string) ([]byte, error) {
	data, err := files.ReadFile(file)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	if sums()[file] != hex.EncodeToString(sum[:]) {
		return nil, fmt.Errorf("model %s: %w: its digest is not the one in SHA256SUMS", file, model.ErrFormat)
	}
	return data, nil
}
