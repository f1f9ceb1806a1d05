package denoise

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// Fingerprint returns a digest of all options that an output depends on. Two jobs with one fingerprint and equal inputs
// give the same bytes, with one version of the package on one kind of processor. Limits and the number of workers are
// left out, since outputs do not depend on them, and so is the place of a model file, whose content counts.
func (o FileOptions) Fingerprint() (string, error) {
	o.Workers, o.Read.Workers, o.Write.Workers = 0, 0, 0
	o.Read.MaxPixels, o.Read.MaxBytes, o.Write.Overwrite = 0, 0, false
	if s := o.Models.single; s != nil {
		o.Models.single = &single{model: s.model, sum: s.sum}
	}
	if o.Profile != nil { // which files it was measured on does not matter
		p := *o.Profile
		p.Files = nil
		o.Profile = &p
	}
	text, err := json.Marshal(o)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}
