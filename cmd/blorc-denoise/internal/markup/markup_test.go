package markup

import (
	"errors"
	"strings"
	"testing"
)

func TestStringsAreEscaped(t *testing.T) {
	var b strings.Builder
	w := NewWriter(&b)
	w.Text = strings.ToUpper
	w.Put("%s|%s|%d", "<a & \"b\">", Raw("<i>"), 7)
	if err := w.Flush(); err != nil || b.String() != "&lt;A &amp; &#34;B&#34;&gt;|<i>|7" {
		t.Errorf("%q, %v", b.String(), err)
	}
}

func TestFlushReturnsTheFirstError(t *testing.T) {
	w := NewWriter(broken{})
	for range 1 << 12 {
		w.Put("%s", strings.Repeat("x", 100))
	}
	if err := w.Flush(); !errors.Is(err, errBroken) {
		t.Error(err)
	}
}

var errBroken = errors.New("broken")

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errBroken }

// The digest of the empty text is known.
func TestPolicyNamesStyleAndScript(t *testing.T) {
	p := Page{Script: "x"}.policy()
	if !strings.Contains(p, "style-src 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='") ||
		strings.Contains(p, "script-src 'sha256-47DEQ") {
		t.Error(p)
	}
}
