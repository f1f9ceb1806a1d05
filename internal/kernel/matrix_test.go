package kernel

import (
	"reflect"
	"testing"
)

func TestRowsArePackedAsWholeMatrices(t *testing.T) {
	const n, rows, cols = 3, 19, 5
	a := make([]float32, n*rows*cols)
	for i := range a {
		a[i] = float32(i + 1)
	}
	got := PackRows(nil, n, rows, cols, func(i int, values []float32) {
		for k := range n {
			copy(values[k*cols:], a[(k*rows+i)*cols:][:cols])
		}
	})
	for k, m := range got {
		if want := Pack(a[k*rows*cols:][:rows*cols], rows, cols); !reflect.DeepEqual(m.tiles, want.tiles) ||
			m.Rows != rows || m.Cols != cols {
			t.Errorf("matrix %d of %d is %v, want %v", k, n, m.tiles, want.tiles)
		}
	}
}
