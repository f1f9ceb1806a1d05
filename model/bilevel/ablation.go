package bilevel

import (
	"fmt"
	"slices"
)

// Ablation leaves a part out of the training of non-local stages, for experiments that ask what the part is worth. How
// the trained model denoises does not change.
type Ablation string

const (
	// AblateTransforms keeps all transforms where they start and learns the weight function only.
	AblateTransforms Ablation = "transforms"
	// AblatePattern takes the segments from as many ADMM iterations as the first pass of a model denoises with, and the
	// closed form and its gradient on them, exact or not. So the paper takes its sign pattern.
	AblatePattern Ablation = "pattern"
	// AblateLoss compares single patches with their clean ones instead of the aggregated image.
	AblateLoss Ablation = "loss"
)

// Ablations are all there are.
func Ablations() []Ablation { return []Ablation{AblateTransforms, AblatePattern, AblateLoss} }

// validate refuses what is neither empty nor one of Ablations.
func (a Ablation) validate() error {
	if a != "" && !slices.Contains(Ablations(), a) {
		return fmt.Errorf("no ablation is named %q", string(a))
	}
	return nil
}
