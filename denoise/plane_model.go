package denoise

import (
	"fmt"

	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/model"
)

// planeModel is what runs on one plane, and the noise level that it assumes.
type planeModel struct {
	model      *model.Model
	chain      chain
	steps      stage.Steps   // of the model, in the chain
	sigma      float64       // in the unit of the plane
	level      float32       // see stage.Options
	pilotShare float32       // see stage.Options
	network    float32       // share of the network in the result of the steps; 1 = there are none
	chroma     *chromaModels // refines the result of the steps, or is used instead of them; nil for most planes
	refined    string        // name of the model of a camera that refines the result; "" = a shipped one, or none
}

// ownSteps reports whether the steps run on the plane.
func (p planeModel) ownSteps() bool { return p.network < 1 && (p.chroma == nil || !p.chain.none()) }

// hasPasses reports whether the model has passes.
func (p planeModel) hasPasses() bool {
	_, passes := p.model.Stages.Split()
	return len(passes) > 0
}

// run returns the steps with what they share.
func (p planeModel) run(workers int, progress *stage.Progress) stage.Steps {
	steps := p.steps.For(p.level, workers, progress)
	for i := range steps {
		if stage.IsGuided(steps[i].Stage) {
			steps[i].PilotShare = p.pilotShare
		}
	}
	return steps
}

// name returns the name of what denoises the plane.
func (p planeModel) name() string {
	if p.network == 1 {
		return networkName
	}
	name := fmt.Sprintf("%s %.4g", p.model.Name, p.model.Sigma)
	if p.network > 0 {
		return networkName + " + " + name
	}
	if p.refined != "" {
		return name + " + " + p.refined
	}
	return name
}

// networkName is the name of the network in results.
const networkName = "unet"
