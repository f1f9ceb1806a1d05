package denoise

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// Profile is noise that was measured before, such as that of a camera at one setting. Its JSON form is the file that
// the option
// --noise of the program takes.
type Profile struct {
	// Version is the version of the file's form, profileVersion.
	Version int `json:"version"`
	// Kind is Gaussian, Poisson or Curve.
	Kind Noise `json:"kind"`
	// FullScale is the largest sample of the files, in the unit of the numbers below: 255, 65535, or the white of float
	// files.
	FullScale float64 `json:"full_scale"`
	// Channels is the noise of each plane: one for all planes of an image, or three for red, green and blue.
	Channels []ChannelNoise `json:"channels"`
	// Broad is the standard deviation of the noise at coarse detail over that at fine detail. White noise has 1; 0
	// means the same.
	Broad float64 `json:"broad,omitempty"`
	// Luma is the standard deviation of the noise of the brightness over what independent noise in red, green and blue
	// would give: 1 or 0 for independent noise, at most the square root of 3.
	Luma float64 `json:"luma,omitempty"`
	// Files are the names of the files that it was measured on.
	Files []string `json:"files,omitempty"`
}

// profileVersion is the version of profiles that this package writes and reads.
const profileVersion = 1

// ChannelNoise is the noise of a plane: Sigma of white noise, Gain, Offset, ReadNoise and Dark of photon noise, or
// Points of a curve.
type ChannelNoise struct {
	Sigma     float64      `json:"sigma,omitempty"`
	Gain      float64      `json:"gain,omitempty"`
	Offset    float64      `json:"offset,omitempty"`
	ReadNoise float64      `json:"read_noise,omitempty"`
	Dark      float64      `json:"dark,omitempty"` // mean of the darkest places; 0 means the offset
	Points    []NoisePoint `json:"points,omitempty"`
}

// NoisePoint is the standard deviation of the noise at a gray level.
type NoisePoint struct {
	Level float64 `json:"level"`
	Sigma float64 `json:"sigma"`
}

// Limits of profiles.
const (
	maxProfileBytes  = 1 << 20
	maxProfilePoints = 256
	maxProfileFiles  = 10_000
	maxBroad         = 100
	maxLuma          = 1.75
	maxProfileNumber = 1e12 // sizes of numbers, in full scales
	minProfileNumber = 1e-9
)

// readProfile reads a profile in its JSON form.
func readProfile(r io.Reader) (*Profile, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxProfileBytes+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxProfileBytes {
		return nil, profileError{fmt.Sprintf("more than %d bytes, too many for a noise profile", maxProfileBytes),
			imageio.ErrLimit}
	}
	var version struct {
		Version *int `json:"version"`
	}
	err = json.Unmarshal(data, &version)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %s", ErrProfile, jsonFault(err))
	case version.Version == nil:
		return nil, fmt.Errorf("%w: it has no version", ErrProfile)
	case *version.Version != profileVersion:
		return nil, profileError{fmt.Sprintf("a noise profile of version %d; this program reads version %d",
			*version.Version, profileVersion), imageio.ErrUnsupported}
	}
	p := new(Profile)
	if err := json.Unmarshal(data, p); err != nil {
		return nil, fmt.Errorf("%w: %s", ErrProfile, jsonFault(err))
	}
	if err := p.Check(); err != nil {
		return nil, fmt.Errorf("%w: %s", ErrProfile, err)
	}
	return p, nil
}

// profileError is an error of a kind with a text of its own.
type profileError struct {
	text string
	kind error
}

func (e profileError) Error() string        { return e.text }
func (e profileError) Is(target error) bool { return target == e.kind }

// jsonFault says where JSON is wrong, without words of Go.
func jsonFault(err error) string {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Sprintf("no JSON at byte %d", syntax.Offset)
	case errors.As(err, &kind) && kind.Field != "":
		return fmt.Sprintf("%s is of the wrong kind (%s)", kind.Field, kind.Value)
	case errors.As(err, &kind):
		return "it is no JSON object"
	case errors.Is(err, ErrArgument): // of the only text with a meaning
		return "its kind is not gaussian, poisson or curve"
	}
	return err.Error()
}

// LoadProfile reads a profile in JSON from a file. If the file cannot be opened, it returns that error. Other errors
// are of the kinds ErrProfile, imageio.ErrUnsupported (another version) and imageio.ErrLimit.
func LoadProfile(path string) (*Profile, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readProfile(f)
}

// Check reports what is wrong with the profile. The error is of the kind ErrArgument.
func (p *Profile) Check() error {
	switch {
	case p == nil:
		return badArgument("no profile")
	case p.Version != profileVersion:
		return badArgument("its version is %d, not %d", p.Version, profileVersion)
	case p.Kind != Gaussian && p.Kind != Poisson && p.Kind != Curve:
		return badArgument("its kind is %v, not gaussian, poisson or curve", p.Kind)
	case !(p.FullScale > 0) || !isFinite(p.FullScale) || p.FullScale > maxProfileNumber ||
		p.FullScale < minProfileNumber:
		return badArgument("its full scale is %g", p.FullScale)
	case len(p.Channels) != 1 && len(p.Channels) != 3:
		return badArgument("it has %d channels, not one or three", len(p.Channels))
	case p.Broad != 0 && !(p.Broad >= 0.1 && p.Broad <= maxBroad):
		return badArgument("broad is %g", p.Broad)
	case p.Luma != 0 && !(p.Luma >= 1 && p.Luma <= maxLuma):
		return badArgument("luma is %g, not between 1 and %g", p.Luma, maxLuma)
	case len(p.Files) > maxProfileFiles:
		return badArgument("it names %d files, more than %d", len(p.Files), maxProfileFiles)
	}
	for i, c := range p.Channels {
		if err := c.check(p.Kind, p.FullScale); err != nil {
			return badArgument("channel %d: %v", i+1, err)
		}
	}
	return nil
}

func (c ChannelNoise) check(kind Noise, full float64) error {
	small := func(v float64) bool { return isFinite(v) && math.Abs(v) <= maxProfileNumber*full }
	positive := func(v float64) bool { return v >= minProfileNumber*full && small(v) }
	photons := c.Gain != 0 || c.Offset != 0 || c.ReadNoise != 0 || c.Dark != 0
	switch {
	case kind != Gaussian && c.Sigma != 0, kind != Poisson && photons, kind != Curve && len(c.Points) > 0:
		return badArgument("it has numbers that do not belong to %v noise", kind)
	case kind == Gaussian && !positive(c.Sigma):
		return badArgument("sigma %g is out of range", c.Sigma)
	case kind == Poisson && !positive(c.Gain):
		return badArgument("gain %g is out of range", c.Gain)
	case kind == Poisson && !small(c.Offset):
		return badArgument("offset %g is out of range", c.Offset)
	case kind == Poisson && !(c.ReadNoise >= 0 && small(c.ReadNoise)):
		return badArgument("read noise %g is out of range", c.ReadNoise)
	case c.Dark != 0 && !(c.Dark >= c.Offset && small(c.Dark)):
		return badArgument("dark %g is below the offset, or out of range", c.Dark)
	case kind == Curve && len(c.Points) == 0:
		return badArgument("it has no points")
	case len(c.Points) > maxProfilePoints:
		return badArgument("it has %d points, more than %d", len(c.Points), maxProfilePoints)
	}
	for i, q := range c.Points {
		switch {
		case !small(q.Level):
			return badArgument("point %d: level %g is out of range", i+1, q.Level)
		case !positive(q.Sigma):
			return badArgument("point %d: sigma %g is out of range", i+1, q.Sigma)
		case i > 0 && !(q.Level-c.Points[i-1].Level >= minProfileNumber*full):
			return badArgument("point %d: levels do not rise", i+1)
		}
	}
	return nil
}

// fits reports an error if the profile is not for images of so many planes.
func (p *Profile) fits(planes int) error {
	if p != nil && len(p.Channels) == 3 && planes != 3 {
		return profileError{"the noise profile is for red, green and blue, and the image is not in these",
			imageio.ErrUnsupported}
	}
	return nil
}

// sigmas returns the least and the largest standard deviation on a scale of 0 to 1, and the mean of them all.
func (p *Profile) sigmas() (least, most, mean float64) {
	least = math.Inf(1)
	n := 0.0
	add := func(v float64) {
		least, most, mean = min(least, v), max(most, v), mean+v
		n++
	}
	for _, c := range p.Channels {
		if p.Kind == Gaussian {
			add(c.Sigma / p.FullScale)
		}
		for _, q := range c.Points {
			add(q.Sigma / p.FullScale)
		}
	}
	return least, most, mean / max(1, n)
}

const (
	// whiteProfile is the largest Broad of a profile whose noise counts as white.
	whiteProfile = 1.15
	// Levels, in standard deviations, that models for white noise get for correlated noise: of grain, and of cameras,
	// whose colours have most of the noise in common.
	grainLevel  = 1.1
	cameraLevel = 1.7
	cameraLuma  = 1.2 // the least ratio at which noise counts as camera noise
)

// level returns the level that models for white noise get for noise of standard deviation 1 in each channel.
func (p *Profile) level() float64 {
	luma := max(1, p.Luma)
	switch {
	case !p.IsBroad():
		return luma
	case luma < cameraLuma:
		return grainLevel * luma
	}
	return cameraLevel * luma
}

// IsBroad reports whether the noise is stronger at coarse detail than white noise is.
func (p *Profile) IsBroad() bool { return p.Broad >= whiteProfile }
