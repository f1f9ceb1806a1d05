package level

import (
	"bytes"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
)

func randomNetwork(inputs, hidden, members int) *Network {
	r := rand.New(rand.NewPCG(5, 6))
	random := func(n int) []float32 {
		v := make([]float32, n)
		for i := range v {
			v[i] = float32(r.NormFloat64())
		}
		return v
	}
	return &Network{inputs, hidden, members, random(inputs), random(inputs), random(members * MemberSize(inputs, hidden))}
}

func TestNetworksComeBackFromAFile(t *testing.T) {
	want := []*Network{randomNetwork(7, 3, 2), randomNetwork(5, 1, 1)}
	var b bytes.Buffer
	if err := WriteNetworks(&b, "a test", want...); err != nil {
		t.Fatal(err)
	}
	got, err := ReadNetworks(b.Bytes())
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("other networks, error %v", err)
	}
	for n := range b.Len() {
		if _, err := ReadNetworks(b.Bytes()[:n]); err == nil {
			t.Fatalf("no error for the first %d bytes", n)
		}
	}
	if _, err := ReadNetworks(append(b.Bytes(), 0)); err == nil {
		t.Error("no error for a byte too many")
	}
}

func TestPredictIsTheMeanOfTheMembers(t *testing.T) {
	n := randomNetwork(6, 4, 3)
	features := []float64{1, -2, 3, 0.5, 0, -1}
	x := n.Standardise(features)
	var sum, squares float64
	for m := range n.Members {
		w := n.Member(m)
		v := float64(w[len(w)-1])
		for i := range n.Inputs {
			v += float64(w[n.Hidden*(n.Inputs+2)+i] * x[i])
		}
		for h := range n.Hidden {
			unit := w[h*(n.Inputs+2):]
			a := float64(unit[n.Inputs])
			for i := range n.Inputs {
				a += float64(unit[i] * x[i])
			}
			v += max(a, 0) * float64(unit[n.Inputs+1])
		}
		sum += v / 3
		squares += v * v / 3
	}
	mean, spread := n.Predict(features)
	if math.Abs(mean-sum) > 1e-4 || math.Abs(spread-math.Sqrt(squares-sum*sum)) > 1e-3 {
		t.Errorf("mean %g and spread %g, want %g and %g", mean, spread, sum, math.Sqrt(squares-sum*sum))
	}
}

func FuzzReadNetworks(f *testing.F) {
	f.Add([]byte("{}\n"))
	f.Add([]byte(`{"Networks":[{"Inputs":1,"Hidden":1,"Members":1}]}` + "\nabcd"))
	f.Fuzz(func(t *testing.T, file []byte) {
		networks, err := ReadNetworks(file)
		for _, n := range networks {
			n.Predict(make([]float64, n.Inputs))
		}
		if err != nil && networks != nil {
			t.Error("networks and an error")
		}
	})
}
