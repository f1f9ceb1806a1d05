package kernel

import "math"

// Constants added to magnitudes before taking logarithms, so that those are finite.
const (
	pilotFloor, restFloor, noisyFloor = PilotOffset, ResidualOffset, NoisyOffset
)

// Bounds of the exponents of the outputs, in base 2.
const (
	lowestPower  = MinLogWeight * math.Log2E
	highestPower = MaxLogWeight * math.Log2E
)

// weights computes a WeightFunction whose network was packed by packWeights. block is BlockLanes, or 1 without blocks;
// mean is 1/rows.
func weights(d, e, p, y, bias, packed []float32, rows, hidden, block int, mean float32) {
	var laneP, laneR row
	for i := range rows {
		pi, yi := rowAt(p, i), rowAt(y, i)
		for l, v := range pi {
			r := yi[l] - v
			laneP[l] += v * v
			laneR[l] += r * r
		}
	}
	logOfRoots(&laneP, mean, pilotFloor)
	logOfRoots(&laneR, mean, restFloor)

	var start [MaxHidden]row
	for k := range hidden {
		u, b, s := unitAt(packed, k), rowAt(bias, k), &start[k]
		a1, a4 := u[unitA1], u[unitA4]
		for l := range s {
			s[l] = b[l] + a1*laneP[l] + a4*laneR[l]
		}
	}

	for i := range rows {
		var shared [Lanes / BlockLanes][MaxHidden]float32
		pi, yi := rowAt(p, i), rowAt(y, i)
		if block > 1 {
			shareBlocks(&shared, packed, pi, yi, hidden)
		}
		weightsOfRow(rowAt(d, i), rowAt(e, i), pi, yi, packed, &start, &shared, hidden)
	}
}

func unitAt(packed []float32, k int) *[packedUnit]float32 {
	return (*[packedUnit]float32)(packed[packedUnits+k*packedUnit:])
}

// logOfRoots replaces sums of squares by logarithms of root mean squares plus floor.
func logOfRoots(v *row, mean, floor float32) {
	for l, s := range v {
		v[l] = float32(math.Sqrt(float64(s*mean))) + floor
	}
	logRow(v)
}

// shareBlocks computes what the means of each block add to each hidden unit.
func shareBlocks(shared *[Lanes / BlockLanes][MaxHidden]float32, packed []float32, p, y *row, hidden int) {
	var logs row // for each block, that of p and that of r
	for b := range shared {
		var sumP, sumR float32
		for l := b*BlockLanes + 1; l < (b+1)*BlockLanes; l++ {
			r := y[l] - p[l]
			sumP += p[l] * p[l]
			sumR += r * r
		}
		logs[2*b] = float32(math.Sqrt(float64(sumP*(1./(BlockLanes-1))))) + pilotFloor
		logs[2*b+1] = float32(math.Sqrt(float64(sumR*(1./(BlockLanes-1))))) + restFloor
	}
	logSome(logs[:2*len(shared)])
	for b := range shared {
		for k := range hidden {
			shared[b][k] = packed[packedA2+k]*logs[2*b] + packed[packedA5+k]*logs[2*b+1]
		}
	}
}

func weightsOfRow(d, e, p, y *row, packed []float32, start *[MaxHidden]row,
	shared *[Lanes / BlockLanes][MaxHidden]float32, hidden int) {
	var f0, f3, f6 row
	for l, v := range p {
		f0[l] = abs(v) + pilotFloor
		f3[l] = abs(y[l]-v) + restFloor
		f6[l] = abs(y[l]) + noisyFloor
	}
	logRow(&f0)
	logRow(&f3)
	logRow(&f6)
	b0, b1, a0 := packed[packedB0], packed[packedB1], packed[packedA0]
	for l := range d {
		d[l] = b0 - a0*f0[l]
		e[l] = b1
	}
	for k := range hidden {
		u, s := unitAt(packed, k), &start[k]
		for b := range shared {
			c, from := shared[b][k], b*BlockLanes
			block := (*[BlockLanes]float32)(s[from:])
			g0, g3, g6 := (*[BlockLanes]float32)(f0[from:]), (*[BlockLanes]float32)(f3[from:]),
				(*[BlockLanes]float32)(f6[from:])
			o0, o1 := (*[BlockLanes]float32)(d[from:]), (*[BlockLanes]float32)(e[from:])
			for l := range block {
				h := max(0, block[l]+c+u[unitA0]*g0[l]+u[unitA3]*g3[l]+u[unitA6]*g6[l])
				o0[l] += u[unitB0] * h
				o1[l] += u[unitB1] * h
			}
		}
	}
	powerRow(d)
	powerRow(e)
}

func abs(v float32) float32 { return math.Float32frombits(math.Float32bits(v) &^ (1 << 31)) }

func logRow(v *row) { logSome(v[:]) }

// The polynomials are the best of their degree, found by Remez exchange. The first is within 2.8e-7 of log2(1.5+t) for
// |t| <= 0.5. The second has a relative error of at most 7.5e-8 for 2^t with 0 <= t <= 1.
const (
	logC0, logC1, logC2, logC3 = 0.5849627654, 0.9617953794, -0.3206323385, 0.1425453253
	logC4, logC5, logC6, logC7 = -0.070589613, 0.03731128791, -0.02512337132, 0.01512536166

	powC0, powC1, powC2 = 0.9999999251, 0.6931530732, 0.240153617
	powC3, powC4, powC5 = 0.05582631823, 0.008989339877, 0.001877576766
)

const (
	mantissaBits = 23
	exponentBias = 127
	one          = exponentBias << mantissaBits // the bits of 1
	infinite     = 0xff << mantissaBits
)

// logSome replaces numbers by their logarithms of base 2. They must be positive and not denormal; +Inf and NaN stay.
func logSome(v []float32) {
	for l, x := range v {
		bits := math.Float32bits(x)
		t := math.Float32frombits(bits&(1<<mantissaBits-1)|one) - 1.5
		s := t*logC7 + logC6
		s = s*t + logC5
		s = s*t + logC4
		s = s*t + logC3
		s = s*t + logC2
		s = s*t + logC1
		s = s*t + (float32(int32(bits>>mantissaBits)-exponentBias) + logC0)
		if bits >= infinite {
			s = x
		}
		v[l] = s
	}
}

// powerRow replaces x by 2^x, with x clipped to lowestPower and highestPower.
func powerRow(v *row) {
	for l, x := range v {
		x = max(lowestPower, min(x, highestPower))
		n := int32(x+exponentBias) - exponentBias // rounded down; any value if x is NaN
		t := x - float32(n)
		s := t*powC5 + powC4
		s = s*t + powC3
		s = s*t + powC2
		s = s*t + powC1
		s = s*t + powC0
		v[l] = s * math.Float32frombits(uint32(n+exponentBias)<<mantissaBits)
	}
}
