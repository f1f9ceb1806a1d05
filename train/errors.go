package train

import "errors"

// Errors of this package are of these kinds, for errors.Is, or come from the context, from Trainer.Save, or from
// package model.
var (
	// ErrData means that images, pairs or signals cannot be trained on: there are none, they are too small or too few,
	// or sizes do not fit.
	ErrData = errors.New("unsuitable training data")
	// ErrSettings means that a field of a recipe, a phase or an objective is missing or out of range.
	ErrSettings = errors.New("unsuitable training settings")
	// ErrCheckpoint means that training cannot resume from a checkpoint: it is damaged or belongs to another training.
	ErrCheckpoint = errors.New("checkpoint does not fit")
	// ErrDiverged means that the loss or a parameter is no longer a finite number. A smaller learning rate may help.
	ErrDiverged = errors.New("training diverged: the loss is not finite")
)
