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

// Guided refines the pilot: each coefficient of a patch has a problem of its own between the noisy one and the pilot's,
// with bounds that a network reads from the neighbourhood and from other planes of the image, the guides (see package
// guided). It serves all levels of noise.
type Guided struct {
	Network *guided.Network
	// AtHalf refines the planes at half the size before, and its result replaces the low frequencies of the pilot (see
	// Correct): at half the size, patches see noise that is broader. It is told the same level, and planes are in the
	// same units. Nil if there is none.
	AtHalf *Guided

	prepare  sync.Once // makes the denoiser at the first use: loading a model is fast
	denoiser *guided.Denoiser
}

// guidedStride is the distance of neighbouring patches in samples. The networks are trained with it, since they see
// neighbours.
const guidedStride = 4

// Level returns Options.Level for noise of standard deviation sigma, in gray levels of 0 to 255: the natural logarithm
// of sigma / 25.
func Level(sigma float64) float32 { return float32(math.Log(sigma / 25)) }

// Denoise implements Stage. It does not use Options.Stride: its patches have a stride of their own.
func (s *Guided) Denoise(ctx context.Context, dst patchify.Plane, in Input, o Options) error {
	if len(in.Guides) != s.Network.Guides {
		return fmt.Errorf("%d guides for a network of %d", len(in.Guides), s.Network.Guides)
	}
	pilot := in.Pilot
	if err := s.Correct(ctx, &in, o); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	s.prepare.Do(func() { s.denoiser = guided.NewDenoiser(s.Network, o.Workers) })
	planes := guided.Input{Noisy: in.Noisy, Pilot: in.Pilot, Guides: in.Guides, Level: o.Level}
	err := s.denoiser.Denoise(ctx, dst, planes, guidedStride, o.Workers,
		func(patches int) { o.Progress.add(guidedCost * float64(patches)) })
	if o.PilotShare > 0 {
		mix(dst.Pix, pilot.Pix, o.PilotShare, o.Workers)
	}
	return err
}

// mix replaces dst by its mean with other samples, which have a share of it.
func mix(dst, other []float32, share float32, workers int) {
	pieces(len(other), workers, func(from, to int) {
		out := dst[from:to]
		for i, v := range other[from:to] {
			out[i] += share * (v - out[i])
		}
	})
}

// guidedSmoothing is how often the low frequencies from half the size are smoothed.
const guidedSmoothing = 1

// Correct replaces the low frequencies of the pilot by those of the result at half the size, in spare memory. Denoise
// begins with it.
func (s *Guided) Correct(ctx context.Context, in *Input, o Options) error {
	if s.AtHalf == nil || min(in.Noisy.Width, in.Noisy.Height) < 2*guided.PatchSide {
		return nil
	}
	m := o.memory
	if m == nil {
		m = new(guidedMemory)
	}
	half := Input{Noisy: m.half(halfNoisy, in.Noisy, o.Workers), Pilot: m.half(halfPilot, in.Pilot, o.Workers)}
	if err := ctx.Err(); err != nil {
		return err
	}
	for i, g := range in.Guides {
		half.Guides = append(half.Guides, m.half(halfGuides+i, g, o.Workers))
	}
	half.spare = half.Pilot.Pix
	refined := m.plane(halfResult, half.Pilot.Width, half.Pilot.Height)
	o.PilotShare, o.memory = 0, m.smaller()
	if err := s.AtHalf.Denoise(ctx, refined, half, o); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	pilot := patchify.Plane{Width: in.Pilot.Width, Height: in.Pilot.Height, Pix: in.spare}
	if in.spare == nil {
		pilot = m.plane(corrected, in.Pilot.Width, in.Pilot.Height)
	}
	// the input at half the size is needed no more
	correct(pilot, in.Pilot, refined, guidedSmoothing, o.Workers, [2][]float32{half.Noisy.Pix, half.Pilot.Pix})
	in.Pilot = pilot
	return nil
}

// Kind returns "guided".
func (s *Guided) Kind() string { return guidedKind }

// Filters returns nil: the transform is the discrete cosine transform.
func (s *Guided) Filters() []solve.Transform { return nil }

// geometry reaches as many patches away as the network, and the rest of the last patch.
func (s *Guided) geometry(o Options) geometry {
	reach := s.Network.Net.Reach()*guidedStride + 2*(guided.PatchSide-1)
	if s.Network.Predictions > 0 {
		reach += guided.PredictionReach
	}
	g := geometry{patchSide: guided.PatchSide, reach: reach, alignment: patchify.Alignment(guidedStride),
		cost: guidedCost / square(guidedStride)}
	if s.AtHalf != nil {
		half := s.AtHalf.geometryAtHalf(o)
		g.reach += 2*half.reach + CorrectReach(guidedSmoothing)
		g.alignment = LeastCommonMultiple(g.alignment, 2*half.alignment)
		g.cost += half.cost / 4
	}
	return g
}

func (s *Guided) geometryAtHalf(o Options) geometry { return s.geometry(o) }

func (s *Guided) traits() traits { return traits{guided: true} }

// guidedParams holds the parameters of a guided stage in the metadata of a model file.
type guidedParams struct {
	Guides      int           `json:"guides"`
	Predictions int           `json:"predictions,omitempty"`
	Sides       []int         `json:"sides"` // of the layers
	AtHalf      *guidedParams `json:"coarse,omitempty"`
}

// halfPrefix is what the names of tensors for half the size begin with.
const halfPrefix = "coarse."

func (s *Guided) encode(tensors map[string]safetensors.Tensor, prefix string) any {
	return s.params(tensors, prefix)
}

func (s *Guided) params(tensors map[string]safetensors.Tensor, prefix string) *guidedParams {
	p := &guidedParams{Guides: s.Network.Guides, Predictions: s.Network.Predictions}
	put := func(name string, v []float32, shape ...int) {
		t := safetensors.Tensor{DType: safetensors.F16, Shape: shape} // what rounding changes cannot be seen
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
	if s.AtHalf != nil {
		p.AtHalf = s.AtHalf.params(tensors, prefix+halfPrefix)
	}
	return p
}

// Limits of the network of a guided stage in a model file.
const (
	MaxDeep     = maxLayers - 2 // layers that see neighbouring patches
	MaxChannels = 1024          // of a layer

	maxLayers = 16
)

// MaxSizes is the largest number of sizes at which a guided stage refines a plane: the full one, half of it, and so on.
const MaxSizes = 5

func decodeGuided(params json.RawMessage, tensors map[string]safetensors.Tensor, prefix string) (Stage, error) {
	p, err := decodeParams[guidedParams](params)
	if err != nil {
		return nil, err
	}
	return p.stage(tensors, prefix, MaxSizes)
}

// stage returns the stage for a size, and those for at most sizes-1 smaller ones.
func (p *guidedParams) stage(tensors map[string]safetensors.Tensor, prefix string, sizes int) (*Guided, error) {
	if sizes == 0 {
		return nil, fmt.Errorf("%w: a guided stage of more than %d sizes", ErrFormat, MaxSizes)
	}
	if len(p.Sides) > maxLayers || p.Guides < 0 || p.Guides > maxLayers {
		return nil, fmt.Errorf("%w: a network of %d layers and %d guides", ErrFormat, len(p.Sides), p.Guides)
	}
	n := &guided.Network{Guides: p.Guides, Predictions: p.Predictions}
	for i, side := range p.Sides {
		w, err := tensor(tensors, fmt.Sprintf("%slayer%d.weights", prefix, i), 3)
		if err != nil {
			return nil, err
		}
		bias, err := tensor(tensors, fmt.Sprintf("%slayer%d.bias", prefix, i), 1)
		if err != nil {
			return nil, err
		}
		if w.Shape[0] > MaxChannels || w.Shape[2] > MaxChannels {
			return nil, fmt.Errorf("%w: a layer of %d and %d channels", ErrFormat, w.Shape[2], w.Shape[0])
		}
		n.Net = append(n.Net, convnet.Layer{In: w.Shape[2], Out: w.Shape[0], Side: side, Weights: toFloat32(w.Values),
			Bias: toFloat32(bias.Values)})
	}
	skip, err := tensor(tensors, prefix+"skip", 2)
	if err != nil {
		return nil, err
	}
	n.Skip = toFloat32(skip.Values)
	if err := n.Check(); err != nil {
		return nil, fmt.Errorf("%w: %v", ErrFormat, err)
	}
	s := &Guided{Network: n}
	if p.AtHalf == nil {
		return s, nil
	}
	if p.AtHalf.Guides != p.Guides || p.AtHalf.Predictions != p.Predictions {
		return nil, fmt.Errorf("%w: guides or predictions differ from those at half the size", ErrFormat)
	}
	s.AtHalf, err = p.AtHalf.stage(tensors, prefix+halfPrefix, sizes-1)
	return s, err
}
