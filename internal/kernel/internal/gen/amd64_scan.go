package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// scanSize is the side of the patches that package scan has assembly for.
const scanSize = 8

// scanX86 writes the loops of package scan.
type scanX86 struct {
	*x86
	labels int         // number of labels
	lanes  operand.Mem // 0, 1, 2 ...
}

// amd64Scan returns the assembly and the Go declarations of package scan for one instruction set.
func amd64Scan(t tile) (asm, stubs []byte, err error) {
	f := &scanX86{x86: newX86(t)}
	f.lanes = f.StaticGlobal("lanes" + f.suffix)
	f.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := range f.width {
		f.AddDatum(4*i, operand.U32(uint32(i)))
	}
	f.scan()
	f.line(scanSize / 2)
	if f.width == 16 {
		f.insert()
	}
	return f.print("scan")
}

// loop starts a function for patches of a size.
func (f *scanX86) loop(name string, size int, signature string) {
	f.function(name, signature, fmt.Sprintf("is %s for patches of %d x %d samples.", name, size, size))
}

func (f *scanX86) broadcastInt(value int, to reg.VecVirtual) {
	r := f.GP32()
	f.MOVL(operand.U32(uint32(value)), r)
	f.VMOVD(r, to.AsX())
	f.VPBROADCASTD(to.AsX(), to)
}
