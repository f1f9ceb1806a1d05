//go:build linux

package faults

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// Each row has a number that the package comment explains.
func TestNumbersAreExplained(t *testing.T) {
	text, err := os.ReadFile("doc.go")
	must(t, err)
	explained := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^//\t(F\d+)  `).FindAllStringSubmatch(string(text), -1) {
		explained[m[1]] = true
	}
	for _, r := range rows {
		if strings.HasPrefix(r.number, "F") && !explained[r.number] {
			t.Errorf("doc.go does not explain %s (%s)", r.number, r.title)
		}
	}
}
