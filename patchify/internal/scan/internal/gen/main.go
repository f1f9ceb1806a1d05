// Command gen writes the assembly of package scan with avo.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/gotypes"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
	"github.com/mmcloughlin/avo/reg"
)

const (
	command = "go generate ./patchify/internal/scan" // what the generated files name
	size    = 8                                      // of patches
)

// generator writes the loops for vectors of width lanes.
type generator struct {
	*build.Context
	suffix string
	width  int
	names  int         // of labels
	lanes  operand.Mem // 0, 1, 2 ...
}

func main() {
	dir := flag.String("o", ".", "folder of package scan")
	flag.Parse()
	for name, g := range map[string]*generator{
		"avx2_amd64":   {suffix: "AVX2", width: 8},
		"avx512_amd64": {suffix: "AVX512", width: 16},
	} {
		asm, stubs, err := g.generate()
		if err != nil {
			log.Fatal(err)
		}
		write(filepath.Join(*dir, name+".s"), asm)
		write(filepath.Join(*dir, name+".go"), stubs)
	}
}

func write(name string, text []byte) {
	if err := os.WriteFile(name, text, 0o644); err != nil {
		log.Fatal(err)
	}
}

func (g *generator) generate() (asm, stubs []byte, err error) {
	g.Context = build.NewContext()
	g.ConstraintExpr("!noasm")
	g.lanes = g.StaticGlobal("lanes" + g.suffix)
	g.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := range g.width {
		g.AddDatum(4*i, operand.U32(uint32(i)))
	}
	g.scan()
	g.line(size / 2)
	if g.width == 16 {
		g.insert()
	}
	file, err := g.Result()
	if err != nil {
		return nil, nil, err
	}
	if err := pass.Compile.Execute(file); err != nil {
		return nil, nil, err
	}
	cfg := printer.Config{Name: command, Pkg: "scan"}
	if asm, err = printer.NewGoAsm(cfg).Print(file); err != nil {
		return nil, nil, err
	}
	stubs, err = printer.NewStubs(cfg).Print(file)
	return asm, stubs, err
}

func (g *generator) function(name string, size int, signature string) {
	g.Function(name + g.suffix)
	g.Attributes(attr.NOSPLIT)
	g.Doc(fmt.Sprintf("%s%s is %s for patches of %d x %d samples.", name, g.suffix, name, size, size))
	g.SignatureExpr(signature)
}

func (g *generator) vector() reg.VecVirtual {
	if g.width == 16 {
		return g.ZMM()
	}
	return g.YMM()
}

// param is where a parameter lies on the stack.
func (g *generator) param(c gotypes.Component) operand.Mem {
	b, err := c.Resolve()
	if err != nil {
		panic(err)
	}
	return b.Addr
}

func (g *generator) load(c gotypes.Component) reg.GPVirtual {
	r := g.GP64()
	g.MOVQ(g.param(c), r)
	return r
}

func (g *generator) base(name string) reg.GPVirtual { return g.load(g.Param(name).Base()) }

func (g *generator) int(name string) reg.GPVirtual { return g.load(g.Param(name)) }

// bytes is the number of bytes of a parameter's count of 4-byte values.
func (g *generator) bytes(name string) reg.GPVirtual {
	r := g.int(name)
	g.SHLQ(operand.Imm(2), r)
	return r
}
