package main

import (
	"fmt"
	"regexp"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/gotypes"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
	"github.com/mmcloughlin/avo/reg"
)

// x86 writes the functions of one file for AVX2 or AVX-512.
type x86 struct {
	*build.Context
	tile
	tables map[string]operand.Mem // constants in memory, by name
}

// newX86 returns a writer for a file that is left out of builds with the tag noasm.
func newX86(t tile) *x86 {
	ctx := build.NewContext()
	ctx.ConstraintExpr("!noasm")
	return &x86{ctx, t, map[string]operand.Mem{}}
}

// beyondAVX2 matches registers that only AVX-512 has. Avo allocates them in every function.
var beyondAVX2 = regexp.MustCompile(`\b([XY](1[6-9]|2[0-9]|3[01])|Z[0-9]+|K[0-7])\b`)

// print returns the assembly and the Go declarations of what was written.
func (f *x86) print(pkg string) (asm, stubs []byte, err error) {
	file, err := f.Result()
	if err != nil {
		return nil, nil, err
	}
	if err := pass.Compile.Execute(file); err != nil {
		return nil, nil, err
	}
	cfg := printer.Config{Name: command, Pkg: pkg}
	if asm, err = printer.NewGoAsm(cfg).Print(file); err != nil {
		return nil, nil, err
	}
	if name := beyondAVX2.Find(asm); name != nil && f.width == 8 {
		return nil, nil, fmt.Errorf("register %s, which AVX2 does not have: a function has too many vectors at a time",
			name)
	}
	stubs, err = printer.NewStubs(cfg).Print(file)
	return asm, stubs, err
}

// function starts a function whose name is followed by that of the instruction set. The first line of doc follows the
// name.
func (f *x86) function(name, signature string, doc ...string) {
	f.Function(name + f.suffix)
	f.Attributes(attr.NOSPLIT)
	f.Doc(append([]string{name + f.suffix + " " + doc[0]}, doc[1:]...)...)
	f.SignatureExpr(signature)
}

// vector returns a new register as wide as the vectors of the instruction set.
func (f *x86) vector() reg.VecVirtual {
	if f.width == 16 {
		return f.ZMM()
	}
	return f.YMM()
}

func (f *x86) vectors(n int) []reg.VecVirtual {
	v := make([]reg.VecVirtual, n)
	for i := range v {
		v[i] = f.vector()
	}
	return v
}

// clear sets vectors to zero.
func (f *x86) clear(vectors ...reg.VecVirtual) {
	for _, v := range vectors {
		f.VXORPS(v, v, v)
	}
}

// param returns the place of a parameter on the stack.
func (f *x86) param(c gotypes.Component) operand.Mem {
	b, err := c.Resolve()
	if err != nil {
		panic(err)
	}
	return b.Addr
}

// load returns a new register with a parameter.
func (f *x86) load(c gotypes.Component) reg.GPVirtual {
	r := f.GP64()
	f.MOVQ(f.param(c), r)
	return r
}

// base returns a new register with the address of a slice.
func (f *x86) base(slice string) reg.GPVirtual { return f.load(f.Param(slice).Base()) }

// int returns a new register with an int.
func (f *x86) int(name string) reg.GPVirtual { return f.load(f.Param(name)) }

// bytes returns a new register with the size in bytes of a number of 4-byte values.
func (f *x86) bytes(name string) reg.GPVirtual {
	r := f.int(name)
	f.SHLQ(operand.Imm(2), r)
	return r
}
