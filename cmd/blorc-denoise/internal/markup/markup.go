// Package markup writes HTML and SVG: pages that need nothing but themselves, and their charts. The template packages
// of the standard library would make the program 6 MB larger.
package markup

import (
	"bufio"
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// Raw is markup that is written as it is.
type Raw string

// Writer writes markup. The first error stops it, and Flush returns it.
type Writer struct {
	*bufio.Writer
	// Text, if it is not nil, makes text visible before it is escaped.
	Text func(string) string
}

// NewWriter returns a Writer with a buffer.
func NewWriter(w io.Writer) Writer { return Writer{Writer: bufio.NewWriterSize(w, 1<<16)} }

// Put writes a format. Arguments that are strings are escaped, and what XML cannot hold becomes a replacement
// character. Those of type Raw are written as they are.
func (w Writer) Put(format string, args ...any) {
	for i, a := range args {
		s, ok := a.(string)
		if !ok {
			continue
		}
		if w.Text != nil {
			s = w.Text(s)
		}
		var b strings.Builder
		xml.EscapeText(&b, []byte(s)) // a builder never fails
		args[i] = b.String()
	}
	fmt.Fprintf(w, format, args...)
}

// Policy is the content of a Content-Security-Policy that allows pictures of the page itself, a style and a script.
func Policy(style, script string) string {
	return fmt.Sprintf("default-src 'none'; img-src data:; style-src '%s'; script-src '%s'; base-uri 'none'; "+
		"form-action 'none'", hash(style), hash(script))
}

// hash allows a browser to use a style or a script, and no other.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
