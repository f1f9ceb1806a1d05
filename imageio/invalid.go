package imageio

import "fmt"

// warnOfInvalid adds to the warnings how many samples are no numbers.
func (m *Image) warnOfInvalid() {
	if m.Depth.kind() != kindFloat {
		return
	}
	n := 0
	for _, p := range m.channels() {
		if allFinite(p) {
			continue
		}
		for _, v := range p {
			if !finite(v) {
				n++
			}
		}
	}
	if n > 0 {
		m.Warnings = append(m.Warnings, fmt.Sprintf("%d %s NaN or infinite", n,
			map[bool]string{true: "sample is", false: "samples are"}[n == 1]))
	}
}
