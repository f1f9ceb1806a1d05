package noisecurve

import (
	"math"
	"testing"
)

// Noise that is strong in half of an image and weak in the other is clearly uneven, white or broad. Noise of one level
// is not. If it is correlated, it is known at each level all the same. Texture is not.
func TestUneven(t *testing.T) {
	halves := func(weak, strong float32, broad bool, rows func(y int) float32) []float32 {
		noise := white(make([]float32, width*height), 1, random(5))
		if broad {
			smooth := make([]float32, len(noise))
			for i := range noise {
				smooth[i] = (noise[i] + noise[(i+1)%len(noise)] + noise[(i+width)%len(noise)]) / 2
			}
			noise = smooth
		}
		for i := range noise {
			sigma := strong
			if i/width < height/2 {
				sigma = weak
			}
			noise[i] = rows(i/width) + sigma*noise[i]
		}
		return noise
	}
	dark := func(y int) float32 {
		if y < height/2 {
			return 1
		}
		return 3
	}
	for name, c := range map[string]struct {
		weak, strong float32
		broad, want  bool
	}{
		"white":       {0.02, 0.1, false, true},
		"broad":       {0.02, 0.1, true, true},
		"in the dark": {0.1, 0.02, true, true},
		"even":        {0.1, 0.1, true, false},
		"twice":       {0.05, 0.1, true, false},
	} {
		p := halves(c.weak, c.strong, c.broad, dark)
		if u, ok := measure(p, width, height).Uneven(false); ok != c.want || ok && !u.Clear {
			t.Errorf("%s: %v, %+v", name, ok, u)
		}
		u, ok := measure(p, width, height).Uneven(true)
		fine := 1.0
		if c.broad {
			fine = 0.5 // of the standard deviation
		}
		mean := u.Mean / math.Sqrt(float64(c.weak*c.strong)) / fine
		if !ok || u.Clear != c.want || len(u.Levels) != len(u.Variances) || u.Strong < 0.02 || u.Strong > 0.2 ||
			mean < 0.8 || mean > 1.2 {
			t.Errorf("%s, correlated: %v, %+v, mean %.2f times the true one", name, ok, u, mean)
		}
	}
	for _, correlated := range []bool{false, true} {
		if u, ok := (Curve{}).Uneven(correlated); ok {
			t.Errorf("nothing: %+v", u)
		}
	}
	texture := halves(0.002, 0.1, true, dark)
	for i := range texture { // less to the left
		level := dark(i / width)
		texture[i] = level + (texture[i]-level)*float32(i%width)/width
	}
	for _, correlated := range []bool{false, true} {
		if u, ok := measure(texture, width, height).Uneven(correlated); ok {
			t.Errorf("texture: %+v", u)
		}
	}
}
