package level

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
)

// Network is a regression from statistics of a picture to the logarithm of a noise level in grey levels of 0-255: the mean
// of several small networks, each of which is a linear function plus a layer of hidden units.
type Network struct {
	Inputs, Hidden, Members int
	Mean, Scale             []float32 // of each input: Inputs long
	Weights                 []float32 // of the members one after the other; see MemberSize
}

// MemberSize is the number of weights of a member: for each hidden unit those of the inputs, its bias and its share in the
// output; then those of the inputs in the linear function, and the output's bias.
func MemberSize(inputs, hidden int) int { return hidden*(inputs+2) + inputs + 1 }

// reach bounds standardised inputs, so that a picture unlike all others does no more than an unusual one.
const reach = 3.5

// Standardise returns the inputs of the members.
func (n *Network) Standardise(features []float64) []float32 {
	x := make([]float32, n.Inputs)
	for i := range x {
		x[i] = min(max((float32(features[i])-n.Mean[i])*n.Scale[i], -reach), reach)
	}
	return x
}

// Member returns the weights of one member.
func (n *Network) Member(i int) []float32 {
	size := MemberSize(n.Inputs, n.Hidden)
	return n.Weights[i*size:][:size]
}

// Output runs one member on standardised inputs. If active is not nil, it gets the values of the hidden units.
func (n *Network) Output(member int, x, active []float32) float32 {
	w := n.Member(member)
	sum := float32(0)
	for h := range n.Hidden {
		unit := w[h*(n.Inputs+2):][:n.Inputs+2]
		v := unit[n.Inputs] + dot(unit, x)
		v = max(v, 0)
		if active != nil {
			active[h] = v
		}
		sum += v * unit[n.Inputs+1]
	}
	linear := w[n.Hidden*(n.Inputs+2):]
	return sum + dot(linear, x) + linear[n.Inputs]
}

// dot multiplies w with x, which is not longer. The four sums make it faster and are the same on every machine.
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

// Predict returns the mean of the members, and their standard deviation.
func (n *Network) Predict(features []float64) (mean, spread float64) {
	x := n.Standardise(features)
	sum, squares := 0.0, 0.0
	for i := range n.Members {
		v := float64(n.Output(i, x, nil))
		sum, squares = sum+v, squares+v*v
	}
	mean = sum / float64(n.Members)
	return mean, math.Sqrt(max(0, squares/float64(n.Members)-mean*mean))
}

// header is the first line of a file of networks.
type header struct {
	Made     string // command
	Networks []shape
}

type shape struct{ Inputs, Hidden, Members int }

// WriteNetworks writes a line of JSON and the numbers as 32-bit little-endian floats. made says how they came about.
func WriteNetworks(w io.Writer, made string, networks ...*Network) error {
	h := header{Made: made}
	var b bytes.Buffer
	for _, n := range networks {
		h.Networks = append(h.Networks, shape{n.Inputs, n.Hidden, n.Members})
		for _, v := range [][]float32{n.Mean, n.Scale, n.Weights} {
			if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
				return err
			}
		}
	}
	line, err := json.Marshal(h)
	if err != nil {
		return err
	}
	_, err = w.Write(append(append(line, '\n'), b.Bytes()...))
	return err
}

// ReadNetworks reads what WriteNetworks wrote.
func ReadNetworks(file []byte) ([]*Network, error) {
	line, rest, ok := bytes.Cut(file, []byte{'\n'})
	if !ok {
		return nil, errors.New("no header")
	}
	var h header
	if err := json.Unmarshal(line, &h); err != nil {
		return nil, err
	}
	var networks []*Network
	for _, s := range h.Networks {
		if min(s.Inputs, s.Hidden, s.Members) < 1 || max(s.Inputs, s.Hidden, s.Members) > 1000 {
			return nil, fmt.Errorf("network of %d inputs, %d hidden units and %d members", s.Inputs, s.Hidden, s.Members)
		}
		n := &Network{Inputs: s.Inputs, Hidden: s.Hidden, Members: s.Members}
		size := 2*s.Inputs + s.Members*MemberSize(s.Inputs, s.Hidden)
		if len(rest) < 4*size {
			return nil, io.ErrUnexpectedEOF
		}
		v := make([]float32, size)
		for i := range v {
			v[i] = math.Float32frombits(binary.LittleEndian.Uint32(rest[4*i:]))
		}
		rest = rest[4*size:]
		n.Mean, n.Scale, n.Weights = v[:s.Inputs], v[s.Inputs:2*s.Inputs], v[2*s.Inputs:]
		networks = append(networks, n)
	}
	if len(rest) > 0 {
		return nil, errors.New("more numbers than the header says")
	}
	return networks, nil
}
