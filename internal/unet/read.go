package unet

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/blorc-denoise/blorc-denoise/internal/kernel"
	"github.com/blorc-denoise/blorc-denoise/internal/safetensors"
)

// ErrFormat is the kind of all errors of Read.
var ErrFormat = errors.New("not a valid U-Net")

// Limits on networks that are read. They are far above those of any network that runs in reasonable time.
const (
	maxFile     = 128 << 20 // bytes
	maxLevels   = 6
	maxPlanes   = 16
	maxChannels = 1024
)

// Read returns the network in a safetensors file of 16-bit or 32-bit floats, or of whole numbers and scales, with a
// checksum. The names of the tensors tell the number of levels and blocks, their shapes tell the number of channels:
//
//	head.weight           [C0, 4P+1, 3, 3]    from P planes and the level of the noise to level 0
//	enc.L.B.0.weight      [CL, CL, 3, 3]      block B of level L on the way down, first convolution
//	enc.L.B.1.weight      [CL, CL, 3, 3]      second convolution
//	down.L.weight         [C(L+1), CL, 2, 2]  from level L to the next
//	body.B.0.weight, ...                      blocks of the last level
//	up.L.weight           [C(L+1), CL, 2, 2]  from the next level back to level L
//	dec.L.B.0.weight, ...                     blocks of level L on the way up
//	tail.weight           [4P, C0, 3, 3]      from level 0 to planes
//
// A tensor of the type I8, such as head.weight, goes with scales, head.scale [C0], of the type F16 or F32: one for each
// index of its first dimension.
//
// A file with other tensors is refused. The network keeps data, which must not change from then on.
func Read(data []byte) (*Network, error) {
	if len(data) > maxFile {
		return nil, fmt.Errorf("%w: %d bytes, at most %d", ErrFormat, len(data), maxFile)
	}
	f, err := safetensors.Open(data)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return network(f.Tensors)
}

// network builds a network of tensors with finite values.
func network(all map[string]safetensors.Stored) (*Network, error) {
	planes, channels, err := sizes(all)
	if err != nil {
		return nil, err
	}
	t := &tensors{left: maps.Clone(all)}
	n := &Network{
		planes: planes,
		runs:   new(atomic.Int64),
		head:   t.convolution("head.weight", channels[0], 4*planes+1),
		tail:   t.convolution("tail.weight", 4*planes, channels[0]),
		tile:   tileSide,
	}
	for l := range channels {
		n.levels = append(n.levels, t.level(l, channels))
	}
	if t.err == nil && len(t.left) > 0 {
		t.err = fmt.Errorf("%w: unknown tensor %q", ErrFormat, slices.Sorted(maps.Keys(t.left))[0])
	}
	if t.err != nil {
		return nil, t.err
	}
	return n, nil
}

// sizes returns the number of planes, and of channels of each level.
func sizes(all map[string]safetensors.Stored) (planes int, channels []int, err error) {
	head := all["head.weight"].Shape
	if len(head) != 4 {
		return 0, nil, fmt.Errorf("%w: no tensor \"head.weight\" with 4 dimensions", ErrFormat)
	}
	planes = head[1] / 4
	if head[1]%4 != 1 || planes < 1 || planes > maxPlanes {
		return 0, nil, fmt.Errorf("%w: \"head.weight\" has %d inputs, not 4 P + 1 for 1 to %d planes P", ErrFormat,
			head[1], maxPlanes)
	}
	channels = []int{head[0]}
	for {
		down, ok := all[fmt.Sprintf("down.%d.weight", len(channels)-1)]
		if !ok {
			break
		}
		if len(down.Shape) != 4 {
			return 0, nil, fmt.Errorf("%w: \"down.%d.weight\" has %d dimensions, not 4", ErrFormat, len(channels)-1,
				len(down.Shape))
		}
		if channels = append(channels, down.Shape[0]); len(channels) > maxLevels {
			return 0, nil, fmt.Errorf("%w: over %d levels", ErrFormat, maxLevels)
		}
	}
	if c := slices.Max(channels); c > maxChannels {
		return 0, nil, fmt.Errorf("%w: %d channels, at most %d", ErrFormat, c, maxChannels)
	}
	return planes, channels, nil
}

// tensors holds those tensors of a file that no layer has taken, and the first error.
type tensors struct {
	left map[string]safetensors.Stored
	err  error
}

// level takes the tensors of a level.
func (t *tensors) level(l int, channels []int) level {
	c := channels[l]
	if l == len(channels)-1 {
		return level{channels: c, down: t.blocks("body", c)}
	}
	return level{
		channels: c,
		down:     t.blocks(fmt.Sprintf("enc.%d", l), c),
		next:     t.down(fmt.Sprintf("down.%d.weight", l), channels[l+1], c),
		back:     t.up(fmt.Sprintf("up.%d.weight", l), channels[l+1], c),
		up:       t.blocks(fmt.Sprintf("dec.%d", l), c),
	}
}

// blocks takes the blocks whose names start with a prefix, in order. There may be none.
func (t *tensors) blocks(prefix string, channels int) (list []block) {
	for t.err == nil {
		first := fmt.Sprintf("%s.%d.0.weight", prefix, len(list))
		if _, ok := t.left[first]; !ok {
			break
		}
		second := fmt.Sprintf("%s.%d.1.weight", prefix, len(list))
		list = append(list, block{t.convolution(first, channels, channels), t.convolution(second, channels, channels)})
	}
	return list
}

// convolution takes a layer with 3 x 3 taps.
func (t *tensors) convolution(name string, out, in int) *convolution {
	w := t.take(name, out, in, 3, 3)
	if t.err != nil {
		return nil
	}
	return &convolution{in: in, out: out, weights: w}
}

// down takes a layer that goes to the next level. The columns of its matrix are ordered by tap, then by channel.
func (t *tensors) down(name string, out, in int) *kernel.IntMatrix {
	w := t.take(name, out, in, 2, 2)
	if t.err != nil {
		return nil
	}
	m := make([]float32, w.stored.Len())
	for i, v := range w.all() {
		o, c, tap := i/(4*in), i/4%in, i%4
		m[o*4*in+tap*in+c] = v
	}
	return kernel.PackIntegers(m, out, 4*in)
}

// up takes a layer that comes back from the next level. The rows of its matrix are ordered by tap, then by channel.
func (t *tensors) up(name string, in, out int) *kernel.IntMatrix {
	w := t.take(name, in, out, 2, 2)
	if t.err != nil {
		return nil
	}
	m := make([]float32, w.stored.Len())
	for i, v := range w.all() {
		c, o, tap := i/(4*out), i/4%out, i%4
		m[(tap*out+o)*in+c] = v
	}
	return kernel.PackIntegers(m, 4*out, in)
}

// weights are the values of a tensor, read from the bytes of the file when they are needed, times their scales if there
// are any: one for each index of the first dimension.
type weights struct {
	stored safetensors.Stored
	scales []float32
}

// all returns all weights, in row-major order.
func (w weights) all() []float32 {
	values := make([]float32, w.stored.Len())
	n := w.stored.Shape[0]
	for i := range n {
		w.read(values[len(values)/n*i:][:len(values)/n], i)
	}
	return values
}

// read copies the weights of one index of the first dimension.
func (w weights) read(values []float32, i int) {
	w.stored.Read(values, i*len(values))
	if w.scales != nil {
		for j := range values {
			values[j] *= w.scales[i]
		}
	}
}

// take returns the weights in a tensor, and removes it and its scales. After an error they are no use.
func (t *tensors) take(name string, shape ...int) weights {
	if t.left[name].DType != safetensors.I8 {
		return weights{stored: t.one(name, shape, safetensors.F16, safetensors.F32)}
	}
	w := weights{stored: t.one(name, shape, safetensors.I8)}
	scales := t.one(strings.TrimSuffix(name, "weight")+"scale", shape[:1], safetensors.F16, safetensors.F32)
	if t.err != nil {
		return w
	}
	for i := range scales.Len() {
		w.scales = append(w.scales, float32(scales.At(i)))
	}
	values := make([]float32, w.stored.Len()/len(w.scales))
	for i := range w.scales {
		w.read(values, i)
		if slices.ContainsFunc(values, func(v float32) bool { return v-v != 0 }) {
			t.err = fmt.Errorf("%w: tensor %q has values out of range", ErrFormat, name)
			return w
		}
	}
	return w
}

// one returns a tensor of one of some types and removes it. After an error it has no values.
func (t *tensors) one(name string, shape []int, types ...safetensors.DType) safetensors.Stored {
	v, ok := t.left[name]
	switch {
	case t.err != nil:
	case !ok:
		t.err = fmt.Errorf("%w: no tensor %q", ErrFormat, name)
	case !slices.Equal(v.Shape, shape):
		t.err = fmt.Errorf("%w: tensor %q has the shape %v, not %v", ErrFormat, name, v.Shape, shape)
	case !slices.Contains(types, v.DType):
		t.err = fmt.Errorf("%w: tensor %q has values of type %s", ErrFormat, name, v.DType)
	}
	if t.err != nil {
		return safetensors.Stored{}
	}
	delete(t.left, name)
	return v
}
