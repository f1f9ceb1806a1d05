package denoise

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/metric"
	"github.com/blorc-denoise/blorc-denoise/internal/must"
	"github.com/blorc-denoise/blorc-denoise/internal/scene/scenetest"
	"github.com/blorc-denoise/blorc-denoise/models"
)

func whiteProfileOf(sigma float64) *Profile {
	return &Profile{Version: profileVersion, Kind: Gaussian, FullScale: 255, Channels: []ChannelNoise{{Sigma: sigma}}}
}

func TestBadProfilesAreRefused(t *testing.T) {
	for text, want := range map[string]error{
		``:                  ErrProfile,
		`[1]`:               ErrProfile,
		`{}`:                ErrProfile,
		`{"version":2}`:     imageio.ErrUnsupported,
		`{"version":"one"}`: ErrProfile,
		`{"version":1}`:     ErrProfile,
		`{"version":1,"kind":"camera","full_scale":255,"channels":[{"sigma":3}]}`:                                             ErrProfile,
		`{"version":1,"kind":"gaussian","full_scale":0,"channels":[{"sigma":3}]}`:                                             ErrProfile,
		`{"version":1,"kind":"gaussian","full_scale":255,"channels":[]}`:                                                      ErrProfile,
		`{"version":1,"kind":"gaussian","full_scale":255,"channels":[{"sigma":3},{"sigma":3}]}`:                               ErrProfile,
		`{"version":1,"kind":"gaussian","full_scale":255,"channels":[{"sigma":0}]}`:                                           ErrProfile,
		`{"version":1,"kind":"gaussian","full_scale":255,"channels":[{"sigma":3,"gain":1}]}`:                                  ErrProfile,
		`{"version":1,"kind":"gaussian","full_scale":255,"channels":[{"sigma":1e300}]}`:                                       ErrProfile,
		`{"version":1,"kind":"poisson","full_scale":255,"channels":[{"gain":-1}]}`:                                            ErrProfile,
		`{"version":1,"kind":"poisson","full_scale":255,"channels":[{"gain":1,"read_noise":-1}]}`:                             ErrProfile,
		`{"version":1,"kind":"poisson","full_scale":255,"channels":[{"gain":1,"offset":5,"dark":4}]}`:                         ErrProfile,
		`{"version":1,"kind":"curve","full_scale":255,"channels":[{"points":[]}]}`:                                            ErrProfile,
		`{"version":1,"kind":"curve","full_scale":255,"channels":[{"points":[{"level":5,"sigma":1},{"level":5,"sigma":2}]}]}`: ErrProfile,
		`{"version":1,"kind":"curve","full_scale":255,"channels":[{"points":[{"level":5,"sigma":0}]}]}`:                       ErrProfile,
		`{"version":1,"kind":"gaussian","full_scale":255,"channels":[{"sigma":3}],"broad":1000}`:                              ErrProfile,
		`{"version":1,"kind":"gaussian","full_scale":255,"channels":[{"sigma":3}],"luma":2}`:                                  ErrProfile,
		`{"version":1,"files":["` + strings.Repeat("x", maxProfileBytes) +
			`"]}`: imageio.ErrLimit,
		`{"version":1,"kind":"curve","full_scale":255,"channels":[{"points":[` +
			strings.Repeat(`{"level":1,"sigma":1},`, 300) + `{}]}]}`: ErrProfile,
	} {
		p, err := readProfile(strings.NewReader(text))
		if p != nil || !errors.Is(err, want) || strings.Contains(err.Error(), "\n") ||
			strings.Contains(err.Error(), "Go ") {
			t.Errorf("%.120s: %v, %v", text, p, err)
		}
	}
}

// The kinds of noise of profiles are not those of the option --noise.
func TestFaultsOfProfilesAreTold(t *testing.T) {
	for text, want := range map[string]string{
		`{"version":1,"kind":"pink","full_scale":255,"channels":[{"sigma":3}]}`: "its kind is not gaussian, " +
			"poisson or curve",
		`{"version":1,"kind":"gaussian","full_scale":[255],"channels":[{"sigma":3}]}`: "full_scale is of the wrong " +
			"kind (array)",
		`{"version":1.5,"kind":"gaussian","full_scale":255,"channels":[{"sigma":3}]}`: "version is of the wrong kind " +
			"(number 1.5)",
		`[]`: "it is no JSON object",
	} {
		if _, err := readProfile(strings.NewReader(text)); err == nil || err.Error() != "not a noise profile: "+want {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}

func FuzzReadProfile(f *testing.F) {
	for _, p := range []*Profile{
		whiteProfileOf(3),
		{Version: 1, Kind: Poisson, FullScale: 65535, Broad: 2, Luma: 1.2,
			Channels: []ChannelNoise{{Gain: 2, Offset: 100, ReadNoise: 3, Dark: 110}}},
		{Version: 1, Kind: Curve, FullScale: 1, Channels: []ChannelNoise{{Points: []NoisePoint{{0, 0.01}, {0.5, 0.02}}},
			{Points: []NoisePoint{{0, 1}}}, {Points: []NoisePoint{{0, 1}}}}},
	} {
		text := must.Get(json.Marshal(p))(f)
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := readProfile(bytes.NewReader(data))
		if err != nil {
			return
		}
		text := must.Get(json.Marshal(p))(t)
		again, err := readProfile(bytes.NewReader(text))
		if err != nil || !reflect.DeepEqual(again, p) {
			t.Fatalf("%+v comes back as %+v, %v", p, again, err)
		}
		_ = p.String()
		for _, s := range p.noise().curve.channels { // no number that a profile may have breaks the transform
			for _, v := range []float64{-1, 0, 0.3, 1, 2} {
				if x := s.Inverse(s.Forward(v)); math.IsNaN(x) {
					t.Fatalf("%s: %g comes back as NaN", text, v)
				}
			}
		}
	})
}

// A profile gives what its numbers give.
func TestProfileIsTheNoiseItSays(t *testing.T) {
	const w, h = 64, 48
	_, noisy := photonScene(w, h, PhotonNoise{Gain: 0.02, ReadNoise: 0.01})
	run := func(o Options) ([][]float32, Result) {
		t.Helper()
		o.Quality = Fast
		return cleaned(t, noisy, w, h, o)
	}
	same := func(a, b [][]float32) bool { return slices.Equal(a[0], b[0]) && slices.Equal(a[2], b[2]) }
	given, _ := run(Options{Sigma: 20})
	out, r := run(Options{Profile: whiteProfileOf(20)})
	if !same(given, out) || r.Noise != Gaussian || math.Abs(r.Sigma-20) > 1e-9 || r.Estimated {
		t.Errorf("white noise: %+v", r)
	}
	given, _ = run(Options{Noise: Poisson, Photons: PhotonNoise{0.02, 0, 0.01}})
	photons := ChannelNoise{Gain: 0.02 * 1000, ReadNoise: 0.01 * 1000}
	for _, channels := range [][]ChannelNoise{{photons}, {photons, photons, photons}} {
		out, r = run(Options{Profile: &Profile{Version: 1, Kind: Poisson, FullScale: 1000, Channels: channels}})
		if !same(given, out) || r.Noise != Poisson || r.Photons != (PhotonNoise{0.02, 0, 0.01}) ||
			r.Channels != [3]PhotonNoise{} {
			t.Errorf("photon noise: %+v", r)
		}
	}
	_, err := Planes(context.Background(), noisy[:1], w, h, Options{Profile: &Profile{Version: 1, Kind: Poisson,
		FullScale: 1, Channels: []ChannelNoise{photons, photons, photons}}})
	must.Fail(t, "a profile of three channels for a gray image", err, imageio.ErrUnsupported)
}

// repeated returns shots of a scene with the noise that f adds to a sample of a channel.
func repeatedShots(n int, f func(channel int, v float64, rng *rand.Rand) float64) (clean [3][]float32,
	shots []*imageio.Image) {
	const w, h = 200, 150
	clean = scenetest.Draw(w, h)
	for i := range n {
		rng := rand.New(rand.NewPCG(uint64(i), 5))
		img := &imageio.Image{Width: w, Height: h, Depth: imageio.Depth16}
		for c, p := range clean {
			q := make([]float32, len(p))
			for j, v := range p {
				q[j] = float32(f(c, float64(v), rng))
			}
			img.Planes = append(img.Planes, q)
		}
		shots = append(shots, img)
	}
	return clean, shots
}

func profileOf(t *testing.T, shots []*imageio.Image) *Profile {
	t.Helper()
	var r Repeats
	for _, s := range shots {
		must.Get(r.Add("shot.tif", s))(t)
	}
	return must.Get(r.Profile())(t)
}

// Noise with another gain in each channel, and noise that is no photon noise, come out with a profile of two shots as
// well as with the truth.
func TestProfileOfRepeatsIsAsGoodAsTheTruth(t *testing.T) {
	local := must.Get(ShippedModels(models.Local))(t)
	gains := [3]float64{0.03, 0.005, 0.015}
	hump := func(v float64) float64 { return 0.01 + 0.08*4*v*(1-v) }
	var curve []NoisePoint
	for v := 0.0; v <= 1; v += 0.05 {
		curve = append(curve, NoisePoint{v, hump(v)})
	}
	var three []ChannelNoise
	for _, g := range gains {
		three = append(three, ChannelNoise{Gain: g, ReadNoise: 0.01})
	}
	for name, c := range map[string]struct {
		noise func(channel int, v float64, rng *rand.Rand) float64
		truth *Profile
	}{
		"channels": {func(c int, v float64, rng *rand.Rand) float64 {
			return gains[c]*poisson(rng, max(0, v)/gains[c]) + 0.01*rng.NormFloat64()
		}, &Profile{Version: 1, Kind: Poisson, FullScale: 1, Channels: three}},
		"curve": {func(_ int, v float64, rng *rand.Rand) float64 { return v + hump(v)*rng.NormFloat64() },
			&Profile{Version: 1, Kind: Curve, FullScale: 1, Channels: []ChannelNoise{{Points: curve}}}},
		"white": {func(_ int, v float64, rng *rand.Rand) float64 { return v + 0.07*rng.NormFloat64() },
			whiteProfileOf(0.07 * 255)},
	} {
		clean, shots := repeatedShots(2, c.noise)
		p := profileOf(t, shots)
		if p.Kind != c.truth.Kind || len(p.Channels) != len(c.truth.Channels) {
			t.Errorf("%s: %+v", name, p)
		}
		score := func(p *Profile) float64 {
			out := clone(shots[0].Planes)
			mustPlanes(t, out, shots[0].Width, shots[0].Height,
				Options{Profile: p, Models: local, Quality: Fast})
			return metric.PSNRPlanes(clean[:], out)
		}
		truth, measured := score(c.truth), score(p)
		t.Logf("%s: %.2f dB with the truth, %.2f with %v", name, truth, measured, p)
		if measured < truth-0.1 {
			t.Errorf("%s: %.2f dB with the truth, %.2f measured", name, truth, measured)
		}
	}
}

func TestShotsThatDoNotFitAreRefused(t *testing.T) {
	_, shots := repeatedShots(2, func(_ int, v float64, rng *rand.Rand) float64 { return v + 0.02*rng.NormFloat64() })
	moved := &imageio.Image{Width: 200, Height: 150, Depth: imageio.Depth16}
	upsideDown := &imageio.Image{Width: 200, Height: 150, Depth: imageio.Depth16}
	for _, p := range shots[1].Planes {
		moved.Planes = append(moved.Planes, append(slices.Clone(p[3:]), p[:3]...))
		q := slices.Clone(p)
		slices.Reverse(q)
		upsideDown.Planes = append(upsideDown.Planes, q)
	}
	other := *shots[1]
	other.Depth = imageio.Depth8
	for want, second := range map[string]*imageio.Image{
		"not aligned":    moved,
		"same scene":     upsideDown,
		"another depth":  &other,
		"150 x 200":      {Width: 150, Height: 200, Depth: imageio.Depth16, Planes: shots[1].Planes},
		"only one of it": {Width: 200, Height: 150, Depth: imageio.Depth16, Planes: shots[1].Planes[:1]},
	} {
		var r Repeats
		must.Get(r.Add("a.tif", shots[0]))(t)
		if _, err := r.Add("b.tif", second); err == nil || !errors.Is(err, ErrShots) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	var r Repeats
	if _, err := r.Profile(); err == nil {
		t.Error("no shots make a profile")
	}
	r.Add("a.tif", shots[0])
	r.Add("b.tif", shots[0])
	if _, err := r.Profile(); err == nil {
		t.Error("equal shots make a profile")
	}
}
