package stage

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"sync"

	"github.com/blorc-denoise/blorc-denoise/internal/convnet"
	"github.com/blorc-denoise/blorc-denoise/internal/guided"
	"github.com/blorc-denoise/blorc-denoise/internal/safetensors"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

const guidedKind = "guided"

// Guided refines the pilot: each coefficient of a patch has a problem of its own between the noisy one and the pilot's, with bounds that
// a network reads from the neighbourhood and from other planes of the image, the guides (see package guided). It serves all levels of noise.
type Guided struct {
	Network *guided.Network

	prepare  sync.Once // makes the denoiser at the first use: loading a model is fast
	denoiser *guided.Denoiser
}

// guidedStride is the distance of neighbouring patches in samples. The networks are trained with it, since they see neighbours.
const guidedStride = 4

// Level returns the Level of an Input: 0 for noise of 25 grey levels on a gray image, and natural logarithms from there.
func Level(sigma float64) float32 { return float32(math.Log(sigma / 25)) }

// Denoise implements Stage. Plans for the stride have no influence.
func (s *Guided) Denoise(ctx context.Context, dst patchify.Plane, in Input, o Options) error {
	if len(in.Guides) != s.Network.Guides {
		return fmt.Errorf("%d guides for a network of %d", len(in.Guides), s.Network.Guides)
	}
	s.prepare.Do(func() { s.denoiser = guided.NewDenoiser(s.Network) })
	planes := guided.Input{Noisy: in.Noisy, Pilot: in.Pilot, Guides: in.Guides, Level: o.Level}
	return s.denoiser.Denoise(ctx, dst, planes, guidedStride, o.Workers, func(patches int) { o.Progress.add(guidedCost * float64(patches)) })
}

// Kind returns "guided".
func (s *Guided) Kind() string { return guidedKind }

// Filters returns nil: the transform is the discrete cosine transform.
func (s *Guided) Filters() []solve.Transform { return nil }

// geometry reaches as many patches away as the network, and the rest of the last patch.
func (s *Guided) geometry(Options, bool) geometry {
	reach := s.Network.Net.Reach()*guidedStride + 2*(guided.PatchSide-1)
	return geometry{patchSide: guided.PatchSide, reach: reach, alignment: patchify.Alignment(guidedStride), guided: true,
		cost: guidedCost / square(guidedStride)}
}

// guidedParams holds the parameters of a guided stage in the metadata of a model file.
type guidedParams struct {
	Guides int   `json:"guides"`
	Sides  []int `json:"sides"` // of the layers
}

func (s *Guided) encode(tensors map[string]safetensors.Tensor, prefix string) any {
	p := guidedParams{Guides: s.Network.Guides}
	put := func(name string, v []float32, shape ...int) {
		t := safetensors.Tensor{DType: safetensors.F32, Shape: shape}
		for _, x := range v {
			t.Values = append(t.Values, float64(x))
		}
		tensors[prefix+name] = t
	}
	for i, l := range s.Network.Net {
		p.Sides = append(p.Sides, l.Side)
		put(fmt.Sprintf("layer%d.weights", i), l.Weights, l.Out, l.Side*l.Side, l.In)
		put(fmt.Sprintf("layer%d.bias", i), l.Bias, l.Out)
	}
	put("skip", s.Network.Skip, 6, guided.Coefs)
	return p
}

// Limits of the network in a model file.
const (
	maxLayers   = 16
	maxChannels = 1024
)

func decodeGuided(params json.RawMessage, tensors map[string]safetensors.Tensor, prefix string) (Stage, error) {
	p, err := decodeParams[guidedParams](params)
	if err != nil {
		return nil, err
	}
	if len(p.Sides) > maxLayers || p.Guides < 0 || p.Guides > maxLayers {
		return nil, fmt.Errorf("%w: a network of %d layers and %d guides", ErrFormat, len(p.Sides), p.Guides)
	}
	n := &guided.Network{Guides: p.Guides}
	for i, side := range p.Sides {
		w, err := tensor(tensors, fmt.Sprintf("%slayer%d.weights", prefix, i), 3)
		if err != nil {
			return nil, err
		}
		bias, err := tensor(tensors, fmt.Sprintf("%slayer%d.bias", prefix, i), 1)
		if err != nil {
			return nil, err
		}
		if w.Shape[0] > maxChannels || w.Shape[2] > maxChannels {
			return nil, fmt.Errorf("%w: a layer of %d and %d channels", ErrFormat, w.Shape[2], w.Shape[0])
		}
		n.Net = append(n.Net, convnet.Layer{In: w.Shape[2], Out: w.Shape[0], Side: side, Weights: toFloat32(w.Values), Bias: toFloat32(bias.Values)})
	}
	skip, err := tensor(tensors, prefix+"skip", 2)
	if err != nil {
		return nil, err
	}
	n.Skip = toFloat32(skip.Values)
	if err := n.Check(); err != nil {
		return nil, fmt.Errorf("%w: %v", ErrFormat, err)
	}
	return &Guided{Network: n}, nil
}
