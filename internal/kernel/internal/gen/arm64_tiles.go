package main

// tileInputs is written as that of x86.
//
// R0-R3 are rows of the grid, R4-R7 those of odd columns. R8 is a panel, R9 the distance of panels, R10 that of
// channels of the grid. R11 is the row of the first panel, R12 counts channels.
func (f *neon) tileInputs() {
	const x, u, out = 0, 4, 8
	f.line("MOVD %s, R10", f.value("plane"))
	f.line("LSL $2, R10")
	f.line("MOVD %s, R9", f.value("stride"))
	f.line("LSL $2, R9")
	f.line("MOVD %s, R0", f.base("grid"))
	f.line("ADD R10, R0, R1")
	f.line("ADD R10, R1")
	f.line("ADD R9, R0, R2")
	f.line("ADD R9, R1, R3")
	for k := range 4 {
		f.line("ADD R10, R%d, R%d", k, 4+k)
	}
	f.line("LSL $2, R10")
	f.line("MOVD %s, R11", f.base("v"))
	f.panelSteps(f.value("channels"))
	f.label("channel")
	f.line("MOVD R11, R8")
	for k := range 4 {
		for j := range lanes / 4 {
			first, second := []int{0, 1, 2, 1}, []int{2, 2, 1, 3}
			for l := range 4 {
				at := 4 * (l/2 + 4*j)
				f.load4(first[k]+l%2*4, at, x+l)
				f.load4(second[k]+l%2*4, at, u+l)
				f.three(inputRow(k), x+l, x+l, u+l)
			}
			for l := range 4 {
				f.three(inputRow(l), out+l, x+first[l], x+second[l])
			}
			f.line("ADD $%d, R8, R13", 16*j)
			for l := range 4 {
				f.line("VST1.P %s, (R13)(R9)", list(out+l, 1))
			}
		}
		f.line("ADD R9<<2, R8")
	}
	f.line("ADD $%d, R11", 4*lanes)
	for k := range 8 {
		f.line("ADD R10, R%d", k)
	}
	f.line("SUBS $1, R12")
	f.line("BNE channel")
	f.line("RET")
}

func inputRow(k int) string {
	if k == 1 {
		return "FADD"
	}
	return "FSUB"
}

// load4 loads four values that need not be aligned.
func (f *neon) load4(base, at, v int) {
	f.line("ADD $%d, R%d, R13", at, base)
	f.line("VLD1 (R13), %s", list(v, 1))
}

// panelSteps sets R12 to the number of channels and R9 to the size of a panel in bytes.
func (f *neon) panelSteps(channels string) {
	f.line("MOVD %s, R12", channels)
	f.line("MOVD $%d, R13", 4*lanes)
	f.line("MUL R13, R12, R9")
}

// tileOutputs is written as that of x86.
//
// R0-R3 are rows of the products, R4 and R5 those of the grid, R6 and R7 those of odd columns, R8 the bias. The others
// are as those of tileInputs.
func (f *neon) tileOutputs() {
	const x, u, v, bias, zero = 0, 4, 8, 12, 13
	f.line("MOVD %s, R10", f.value("plane"))
	f.line("LSL $2, R10")
	f.line("MOVD %s, R13", f.value("stride"))
	f.line("LSL $2, R13")
	f.line("MOVD %s, R5", f.base("grid"))
	f.line("ADD R10<<1, R5, R4")
	f.line("ADD R13, R5")
	f.line("ADD R10, R4, R6")
	f.line("ADD R10, R5, R7")
	f.line("LSL $2, R10")
	f.panelSteps(f.len("bias"))
	f.line("MOVD %s, R0", f.base("m"))
	for k := range 3 {
		f.line("ADD R9<<2, R%d, R%d", k, k+1)
	}
	f.line("MOVD %s, R8", f.base("bias"))
	f.clear(zero, 1)
	f.label("channel")
	f.line("FMOVS (R8), F%d", bias)
	f.line("VDUP V%d.S[0], V%d.S4", bias, bias)
	for i := range 2 {
		op := []string{"FADD", "FSUB"}
		for j := range lanes / 4 {
			for k, to := range []int{x, u, v} {
				f.line("ADD $%d, R%d, R13", 16*j, i+k)
				for l := range 4 {
					f.line("VLD1.P (R13)(R9), %s", list(to+l, 1))
				}
			}
			for l := range 4 {
				f.three(op[i], x+l, x+l, u+l)
				f.three(op[i], x+l, x+l, v+l)
			}
			for a := range 2 {
				f.three(op[a], x+a, x+a, x+a+1)
				f.three(op[a], x+a, x+a, x+a+2)
			}
			for a := range 2 {
				f.three("FADD", x+a, x+a, bias)
				f.three("FMAX", x+a, x+a, zero)
				f.line("ADD $%d, R%d, R13", 4*(4*j+a), 6-2*a+i)
				f.line("VST1 %s, (R13)", list(x+a, 1))
			}
		}
	}
	f.line("ADD $4, R8")
	for k := range 4 {
		f.line("ADD $%d, R%d", 4*lanes, k)
		f.line("ADD R10, R%d", 4+k)
	}
	f.line("SUBS $1, R12")
	f.line("BNE channel")
	f.line("RET")
}
