package stage

import "slices"

// SplitAtGuided returns the stages before the first guided one, and the rest.
func (q Sequence) SplitAtGuided() (before, rest Sequence) {
	for i, s := range q {
		if s.traits().guided {
			return q[:i], q[i:]
		}
	}
	return q, nil
}

// Local returns the stages before the first non-local one.
func (q Sequence) Local() Sequence {
	for i, s := range q {
		if s.traits().pass {
			return slices.Clip(q[:i])
		}
	}
	return slices.Clip(q)
}

// Uncorrected returns all stages but the corrections of low frequencies.
func (q Sequence) Uncorrected() (rest Sequence) {
	for _, s := range q {
		if !s.traits().half {
			rest = append(rest, s)
		}
	}
	return rest
}

// PassesAtHalf returns the stages before the first pass, corrected by those and the first passes at half the size. The
// stages there are not corrected. There must be as many passes.
func (q Sequence) PassesAtHalf(passes int) Sequence {
	half := q.Uncorrected()
	for i := range half {
		if half[:i+1].Passes() == passes {
			half = half[:i+1]
			break
		}
	}
	return append(q.Local(), &Correction{Smoothing: 1, Half: half})
}
