package models

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"

	"github.com/blorc-denoise/blorc-denoise/internal/unet"
	"github.com/blorc-denoise/blorc-denoise/model"
)

// The files of the U-Nets, which remove white Gaussian noise of every level. unet.py trained them.
const (
	grayNetwork   = "unet-gray.safetensors"
	colourNetwork = "unet-colour.safetensors"
)

var networks = map[int]func() (*unet.Network, error){1: networkIn(grayNetwork), 3: networkIn(colourNetwork)}

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

// Network returns the U-Net for images of one gray or three colour planes. All callers share it.
func Network(planes int) (*unet.Network, error) {
	load, ok := networks[planes]
	if !ok {
		return nil, fmt.Errorf("no U-Net is for images of %d planes", planes)
	}
	return load()
}

// NetworkNames returns the names of the U-Nets for three planes and for one. They make pilots for the models of the family Default.
func NetworkNames() []string {
	return []string{strings.TrimSuffix(colourNetwork, ".safetensors"), strings.TrimSuffix(grayNetwork, ".safetensors")}
}

// NetworkDigest returns the SHA-256 digests of the files of both U-Nets, one after the other in hexadecimal.
func NetworkDigest() string { return sums()[grayNetwork] + sums()[colourNetwork] }

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
