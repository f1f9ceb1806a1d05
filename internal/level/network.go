package level

import (
	_ "embed"
	"fmt"
	"slices"
	"sync"

	"github.com/blorc-denoise/blorc-denoise/internal/safetensors"
)

// network is a regression from the Inputs of a picture to the logarithm of its level in gray levels of 0-255: the mean
// of small networks, each of which is a linear function plus a layer of hidden units.
type network struct {
	mean, scale []float32 // of each input
	members     []member
}

type member struct {
	hidden         [][]float32 // weights of the inputs for each hidden unit
	bias, output   []float32   // of each hidden unit
	linear, offset []float32   // weights of the inputs without a hidden unit, and what is added
}

// reach bounds standardised inputs, so that a picture unlike all others does no more than an unusual one.
const reach = 3.5

func (n *network) predict(inputs []float64) float64 {
	x := make([]float32, len(n.mean))
	for i := range x {
		x[i] = min(max((float32(inputs[i])-n.mean[i])*n.scale[i], -reach), reach)
	}
	sum := 0.0
	for _, m := range n.members {
		sum += float64(m.predict(x))
	}
	return sum / float64(len(n.members))
}

func (m *member) predict(x []float32) float32 {
	sum := m.offset[0] + dot(m.linear, x)
	for h, w := range m.hidden {
		sum += max(m.bias[h]+dot(w, x), 0) * m.output[h]
	}
	return sum
}

// dot multiplies two lists of one length. The four sums make it faster and are the same on every machine.
func dot(w, x []float32) float32 {
	var a, b, c, d float32
	w = w[:len(x)]
	i := 0
	for ; i+4 <= len(x); i += 4 {
		a += float32(w[i] * x[i])
		b += float32(w[i+1] * x[i+1])
		c += float32(w[i+2] * x[i+2])
		d += float32(w[i+3] * x[i+3])
	}
	for ; i < len(x); i++ {
		a += float32(w[i] * x[i])
	}
	return (a + b) + (c + d)
}

// shipped holds a network for gray pictures and one for colour. docs/level.md says how it was made.
//
//go:embed level.safetensors
var shipped []byte

// networks are the shipped ones, by the number of planes.
var networks = sync.OnceValue(func() map[int]*network {
	n, err := readNetworks(shipped)
	if err != nil {
		panic("level: " + err.Error()) // a test reads them
	}
	return n
})

// readNetworks reads a file of both networks.
func readNetworks(data []byte) (map[int]*network, error) {
	f, err := safetensors.Unmarshal(data)
	if err != nil {
		return nil, err
	}
	gray, err := networkOf(f, "gray.")
	if err != nil {
		return nil, err
	}
	colour, err := networkOf(f, "colour.")
	return map[int]*network{1: gray, 3: colour}, err
}

// networkOf reads the tensors of one network. The tensor hidden has the shape members x units x inputs; those of the
// others follow from it.
func networkOf(f safetensors.File, prefix string) (*network, error) {
	shape := f.Tensors[prefix+"hidden"].Shape
	if len(shape) != 3 {
		return nil, fmt.Errorf("%w: no network %s", safetensors.ErrFormat, prefix)
	}
	members, units, inputs := shape[0], shape[1], shape[2]
	rows := map[string][][]float32{}
	for name, shape := range map[string][]int{
		"mean": {1, inputs}, "scale": {1, inputs}, "hidden": {members * units, inputs},
		"bias": {members, units}, "output": {members, units}, "linear": {members, inputs}, "offset": {members, 1},
	} {
		t := f.Tensors[prefix+name]
		if len(t.Values) != shape[0]*shape[1] {
			return nil, fmt.Errorf("%w: %s%s has %d values, not %v", safetensors.ErrFormat, prefix, name, len(t.Values),
				shape)
		}
		rows[name] = slices.Collect(slices.Chunk(singles(t.Values), shape[1]))
	}
	n := &network{mean: rows["mean"][0], scale: rows["scale"][0]}
	for i := range members {
		n.members = append(n.members, member{rows["hidden"][i*units:][:units], rows["bias"][i], rows["output"][i],
			rows["linear"][i], rows["offset"][i]})
	}
	return n, nil
}

func singles(values []float64) []float32 {
	out := make([]float32, len(values))
	for i, v := range values {
		out[i] = float32(v)
	}
	return out
}
