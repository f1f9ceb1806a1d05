package models

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/blorc-denoise/blorc-denoise/internal/unet"
	"github.com/blorc-denoise/blorc-denoise/model"
)

// NetworkEntry is a shipped U-Net, which removes white Gaussian noise of every level from images of a number of planes.
// The recipe in the folder unet trained it. It makes pilots for the models of the family Default. A small one takes a
// third of the time.
type NetworkEntry struct {
	Name   string
	Planes int
	Small  bool
	Mosaic bool // for mosaics of red, green and blue, of one plane
	// From is the level of noise, in gray levels of 0-255, from which the network improves the result.
	From float64
	File string

	channels []int // of each level
	load     func() (*unet.Network, error)
}

var networks = []NetworkEntry{
	withFile(NetworkEntry{Name: "unet-colour", Planes: 3, From: 3, channels: []int{48, 96, 160, 192}}, unetColour),
	withFile(NetworkEntry{Name: "unet-gray", Planes: 1, From: 3, channels: []int{48, 96, 160, 192}}, unetGray),
	withFile(NetworkEntry{Name: "unet-gray-small", Planes: 1, Small: true, From: 4,
		channels: []int{32, 64, 96, 128}}, unetGraySmall),
	withFile(NetworkEntry{Name: "unet-mosaic", Planes: 1, Mosaic: true, channels: []int{48, 96, 160, 192}}, unetMosaic),
}

// The weights of a U-Net are read where they lie in the binary. To copy them takes as long as to denoise a small image.
var (
	//go:embed unet-colour.safetensors
	unetColour []byte
	//go:embed unet-gray.safetensors
	unetGray []byte
	//go:embed unet-gray-small.safetensors
	unetGraySmall []byte
	//go:embed unet-mosaic.safetensors
	unetMosaic []byte
)

// withFile returns the entry with its file.
func withFile(e NetworkEntry, data []byte) NetworkEntry {
	e.File = e.Name + ".safetensors"
	e.load = networkIn(e.File, data)
	return e
}

// Networks returns the shipped U-Nets.
func Networks() []NetworkEntry { return slices.Clone(networks) }

func networkIn(file string, data []byte) func() (*unet.Network, error) {
	return sync.OnceValues(func() (*unet.Network, error) {
		if err := verify(file, data); err != nil {
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

// NetworkFor returns the U-Net for images of one or three planes: the small one if that is asked for and there is one.
// For other numbers of planes ok is false.
func NetworkFor(planes int, small bool) (e NetworkEntry, ok bool) {
	for _, n := range networks {
		if n.Planes == planes && !n.Mosaic && (!ok || n.Small == small) {
			e, ok = n, true
		}
	}
	return e, ok
}

// NetworkForMosaics returns the U-Net for the samples of a sensor with colour filters. Red is at even rows and columns,
// blue at odd ones.
func NetworkForMosaics() NetworkEntry {
	return networks[slices.IndexFunc(networks, func(n NetworkEntry) bool { return n.Mosaic })]
}

// Run replaces the planes of width x height samples, row by row, by the result of the U-Net. Sigma is the level of the
// noise on the scale of the samples. Levels holds the share of sigma at each sample, at most 1; nil means 1 everywhere.
// Progress, if it is not nil, is called with the share of the work that is done. When the context is done, Run soon
// returns its error, and the contents of planes are undefined.
func (e NetworkEntry) Run(ctx context.Context, planes [][]float32, levels []float32, width, height int, sigma float32,
	workers int, progress func(share float64)) error {
	n, err := e.load()
	if err != nil {
		return err
	}
	return n.DenoiseUneven(ctx, planes, levels, width, height, sigma, workers, progress)
}

// Memory returns about how many bytes the U-Net takes while it runs, besides its weights. It does not load them.
func (e NetworkEntry) Memory(width, height, workers int) int64 {
	return unet.Memory(e.Planes, e.channels, width, height, workers)
}

// NetworkDigest returns the SHA-256 digests of the files of all U-Nets, one after the other in hexadecimal.
func NetworkDigest() string {
	var all strings.Builder
	for _, e := range networks {
		all.WriteString(sums()[e.File])
	}
	return all.String()
}

// verify returns an error if the digest of a file is not the one in SHA256SUMS.
func verify(file string, data []byte) error {
	sum := sha256.Sum256(data)
	if sums()[file] != hex.EncodeToString(sum[:]) {
		return fmt.Errorf("model %s: %w: its digest is not the one in SHA256SUMS", file, model.ErrFormat)
	}
	return nil
}
