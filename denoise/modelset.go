package denoise

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/model"
	"github.com/blorc-denoise/blorc-denoise/models"
)

// ModelSet is the models that denoise. The zero ModelSet is the shipped default: one model for each of several levels
// of Gaussian noise.
//
// Its JSON form names the shipped models or the file, with a digest. Reading it loads the same models, or fails.
type ModelSet struct {
	name string // of shipped models; "" = models.Default, unless there is a single model
	*single
}

// single is one model for every level. It denoises alone, or it refines the result of the shipped default for camera
// noise, in place of the shipped models for that.
type single struct {
	path  string // "" if it came from no file
	model *model.Model
	sum   string
}

// ShippedModels returns the shipped models of a name: "nonlocal" (the default), "local" or "paper".
func ShippedModels(name string) (ModelSet, error) {
	if _, err := models.Named(name); err != nil {
		return ModelSet{}, badArgument("%v", err)
	}
	if models.Refines(name) {
		return ModelSet{}, badArgument("the model %s refines what other models leave, and is no model of its own", name)
	}
	if name == models.Default {
		name = ""
	}
	return ModelSet{name: name}, nil
}

// LoadModel returns the model in a file. It returns the errors of model.Load.
func LoadModel(path string) (ModelSet, error) {
	m, err := model.Load(path)
	if err != nil {
		return ModelSet{}, err
	}
	s, err := UseModel(m)
	if err == nil {
		s.path = path
	}
	return s, err
}

// UseModel returns a set of one model, which denoises at every noise level. If it was trained with the noise of a
// camera, it takes the place of the shipped models for such noise, and noise of the kind Auto counts as that of a
// camera. A nil model is an ErrArgument.
func UseModel(m *model.Model) (ModelSet, error) {
	if m == nil {
		return ModelSet{}, badArgument("no model")
	}
	data, err := m.Marshal()
	if err != nil {
		return ModelSet{}, err
	}
	if err := checkUse(m); err != nil {
		return ModelSet{}, err
	}
	sum := sha256.Sum256(data)
	return ModelSet{single: &single{model: m, sum: hex.EncodeToString(sum[:])}}, nil
}

// checkUse reports a model with refining stages, unless it is one for camera noise and has no other stages. Luma and
// the other plane guide the refinement of a chroma plane.
func checkUse(m *model.Model) error {
	switch {
	case m.Noise == model.CameraNoise && !(m.Stages.Refines(0) && m.Chroma.Refines(2)):
		return fmt.Errorf("%w: the model %s is for the noise of cameras, and has other stages than those that refine "+
			"pictures", model.ErrFormat, m.Name)
	case m.Noise != model.CameraNoise && (slices.ContainsFunc(m.Stages, stage.IsGuided) || len(m.Chroma) > 0):
		return badArgument("the model %s refines what other models leave, and is no model of its own", m.Name)
	}
	return nil
}

// choose returns the model for white Gaussian noise of a level in gray levels of 0-255, or the single model. If that is
// for the noise of cameras, it is the shipped model whose result it refines.
func (s ModelSet) choose(sigma float64) (*model.Model, error) {
	if !(sigma > 0) {
		return nil, badArgument("sigma must be positive")
	}
	if s.isAlone() {
		return s.model, nil
	}
	return s.family().Choose(sigma)
}

// Levels returns the noise levels of the models in gray levels of 0-255.
func (s ModelSet) Levels() []float64 {
	if s.isAlone() {
		return []float64{s.model.Sigma}
	}
	var levels []float64
	for _, e := range s.family() {
		levels = append(levels, e.Sigma)
	}
	return levels
}

func (s ModelSet) family() models.Family {
	name := s.name
	if name == "" {
		name = models.Default
	}
	f, err := models.Named(name)
	if err != nil {
		panic(err) // ShippedModels has checked the name
	}
	return f
}

// forCamera reports whether there is a single model, and it was trained on the noise of a camera.
func (s ModelSet) forCamera() bool {
	return s.single != nil && s.model.Noise == model.CameraNoise
}

// isAlone reports whether a single model denoises without the shipped ones.
func (s ModelSet) isAlone() bool { return s.single != nil && !s.forCamera() }

// refined reports whether shipped models refine the result of these.
func (s ModelSet) refined(broad bool) bool {
	return !s.isAlone() && (s.name == "" || broad && s.name == models.Local)
}

// refining returns the stages that refine luma or chroma by the name of a shipped model. A model of a camera takes the
// place of those for correlated noise.
func (s ModelSet) refining(name string) (stage.Sequence, error) {
	switch {
	case s.forCamera() && name == models.BroadLuma:
		return s.model.Stages, nil
	// it has none if it was trained on gray pictures
	case s.forCamera() && name == models.BroadChroma && len(s.model.Chroma) > 0:
		return s.model.Chroma, nil
	}
	return shippedStages(name)
}

// checkNoise reports an ErrArgument for models that do not fit the kind of noise.
func (s ModelSet) checkNoise(n Noise) error {
	if s.forCamera() && (n == Gaussian || n == Poisson) {
		return badArgument("the model %s is for the noise of cameras, not for %v noise", s, n)
	}
	return nil
}

// String returns the name of the shipped models or of the single model.
func (s ModelSet) String() string {
	switch {
	case s.single != nil:
		return s.model.Name
	case s.name == "":
		return models.Default
	}
	return s.name
}

// modelSetJSON is the JSON form of a ModelSet.
type modelSetJSON struct {
	Name string `json:"name,omitempty"`
	File string `json:"file,omitempty"`
	Sum  string `json:"sha256"`
}

// MarshalJSON returns the name or the file of the models, with a digest of their content.
func (s ModelSet) MarshalJSON() ([]byte, error) {
	if s.single != nil {
		return json.Marshal(modelSetJSON{File: s.path, Sum: s.sumOf()})
	}
	return json.Marshal(modelSetJSON{Name: s.String(), Sum: s.digest()})
}

// digest covers all models of a shipped set.
func (s ModelSet) digest() string {
	sums := s.family().Digest()
	if s.name == "" {
		sums += digestOf(models.Luma) + digestOf(models.Chroma) + models.NetworkDigest()
	}
	if s.refined(true) {
		sums += digestOf(models.BroadLuma) + digestOf(models.BroadChroma)
	}
	sum := sha256.Sum256([]byte(sums))
	return hex.EncodeToString(sum[:])
}

// digestOf returns the digests of shipped models.
func digestOf(name string) string {
	family, err := models.Named(name)
	if err != nil {
		panic(err) // only names of shipped models are asked for
	}
	return family.Digest()
}

// UnmarshalJSON loads the models. It is an error if their content has changed.
func (s *ModelSet) UnmarshalJSON(data []byte) error {
	var v modelSetJSON
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	var set ModelSet
	var err error
	switch {
	case v.File != "":
		set, err = LoadModel(v.File)
	case v.Name != "":
		set, err = ShippedModels(v.Name)
	default:
		return badArgument("a model without a file cannot be read again")
	}
	if err != nil {
		return err
	}
	if sum := set.sumOf(); sum != v.Sum {
		return fmt.Errorf("model %s: %w: it has changed", set, model.ErrFormat)
	}
	*s = set
	return nil
}

// sumOf covers all models that may take part.
func (s ModelSet) sumOf() string {
	switch {
	case s.isAlone():
		return s.sum
	case s.forCamera():
		sum := sha256.Sum256([]byte(s.sum + s.digest()))
		return hex.EncodeToString(sum[:])
	}
	return s.digest()
}

// shippedStages returns the stages of a shipped model for all levels of noise.
func shippedStages(name string) (stage.Sequence, error) {
	family, err := models.Named(name)
	if err != nil {
		return nil, err
	}
	m, err := family[0].Load()
	if err != nil {
		return nil, err
	}
	return slices.Clip(m.Stages), nil
}
