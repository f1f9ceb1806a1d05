package denoise

import (
	goimage "image"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/metric"
	"github.com/blorc-denoise/blorc-denoise/internal/scene/scenetest"
)

const tintWidth, tintHeight = 320, 240

// inLevels rounds samples to levels from 0 to most.
func inLevels(p []float32, most float64) []float32 {
	q := make([]float32, len(p))
	for i, v := range p {
		q[i] = float32(math.Round(max(0, min(1, float64(v)))*most) / most)
	}
	return q
}

// tinted gives a gray picture the colours of a print.
func tinted(gray []float32, most float64) (planes [][]float32) {
	for _, f := range []func(v float64) float64{
		func(v float64) float64 { return 0.05 + 0.95*v },
		func(v float64) float64 { return 0.85 * v },
		func(v float64) float64 { return 0.7 * math.Pow(v, 1.3) },
	} {
		p := make([]float32, len(gray))
		for i, v := range gray {
			p[i] = float32(f(float64(v)))
		}
		planes = append(planes, inLevels(p, most))
	}
	return planes
}

func TestTintedPictures(t *testing.T) {
	clean := scenetest.Draw(tintWidth, tintHeight)[1]
	for _, most := range []float64{255, 65535} {
		noise := inLevels(noisy(clean, 15.0/255, "tint"), 255) // 256 levels in 16 bits, too
		img := &imageio.Image{Width: tintWidth, Height: tintHeight, Planes: tinted(noise, most)}
		want := tinted(clean, most)
		before := metric.PSNRPlanes(want, img.Planes)
		whole := *img
		whole.Planes = clone(img.Planes)
		r := mustDecoded(t, &whole, FileOptions{Options: Options{Quality: Fast}})
		gray := slices.Clone(noise)
		mustPlanes(t, [][]float32{gray}, tintWidth, tintHeight,
			Options{Quality: Fast})
		gain, grayGain := metric.PSNRPlanes(want, whole.Planes)-before,
			metric.PSNRPlanes([][]float32{clean}, [][]float32{gray})-metric.PSNRPlanes([][]float32{clean},
				[][]float32{noise})
		t.Logf("%g levels: %v, gain %.2f dB, gray %.2f dB", most+1, r, gain, grayGain)
		if gain < grayGain-0.2 {
			t.Errorf("%g levels: %v, gain %.2f dB, gray %.2f dB", most+1, r, gain, grayGain)
		}
	}
}

// A part of a tinted picture has the samples of the whole.
func TestPartOfTinted(t *testing.T) {
	img := &imageio.Image{Width: tintWidth, Height: tintHeight, Planes: tinted(inLevels(noisy(scenetest.Draw(tintWidth,
		tintHeight)[1], 0.05, "tint"), 255), 255)}
	o := FileOptions{Options: Options{Quality: Fast}}
	a := mustAnalyse(t, img, o)
	area := goimage.Rect(96, 48, 200, 130)
	part := mustPart(t, a, img, area, o.Options)
	whole := *img
	whole.Planes = clone(img.Planes)
	mustDecoded(t, &whole, o)
	for c, p := range cutAll(whole.Planes, tintWidth, area) {
		for i, v := range p {
			if math.Abs(float64(v-part.Planes[c][i])) > 1e-5 {
				t.Fatalf("plane %d, sample %d: %g, want %g", c, i, part.Planes[c][i], v)
			}
		}
	}
}

func TestOtherPicturesAreNotTinted(t *testing.T) {
	drawn := scenetest.Draw(tintWidth, tintHeight)
	gray := inLevels(noisy(drawn[1], 0.03, "gray"), 255)
	own := tinted(gray, 255)
	own[2] = inLevels(noisy(own[2], 2.0/255, "own"), 255)
	falling := tinted(gray, 255)
	for i, v := range falling[2] {
		falling[2][i] = float32(math.Abs(float64(v) - 0.25))
	}
	float := tinted(gray, 255)
	for i := range float[0] {
		float[0][i] += 1e-3 * float32(i%7)
	}
	for name, planes := range map[string][][]float32{
		"colours":               {inLevels(drawn[0], 255), inLevels(drawn[1], 255), inLevels(drawn[2], 255)},
		"noise of its own":      own,
		"falls":                 falling,
		"no levels":             float,
		"few samples of each":   tinted(inLevels(noisy(drawn[1], 0.03, "many"), 65535), 65535),
		"no samples":            {{}, {}, {}},
		"one plane":             {gray},
		"samples of no numbers": {{float32(math.NaN())}, {0}, {float32(math.Inf(1))}},
	} {
		if tint, ok := tintOf(planes); ok {
			t.Errorf("%s: lead %d", name, tint.lead)
		}
	}
}

// Samples whose lead has not changed stay, and tones rise with the lead.
func TestFollow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		gray := make([]float32, 3000)
		for i := range gray {
			gray[i] = float32(rng.IntN(200)) / 255
		}
		planes := tinted(gray, 255)
		tint, ok := tintOf(planes)
		if !ok {
			t.Fatal("not tinted")
		}
		before := slices.Clone(planes[tint.lead])
		was := clone(planes)
		for i := range planes[tint.lead] {
			if i%2 == 1 {
				planes[tint.lead][i] += rng.Float32()/5 - 0.1
			}
		}
		tint.follow(planes, before)
		for c, p := range planes {
			for i, v := range p {
				change, lead := float64(v-was[c][i]), float64(planes[tint.lead][i]-before[i])
				if i%2 == 0 && change != 0 || change*lead < -0.5/255*math.Abs(lead) || math.IsNaN(change) {
					t.Fatalf("plane %d, sample %d changes by %g, the lead by %g", c, i, change, lead)
				}
			}
		}
	})
}
