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

// Page is what all pages have around their content. A page needs nothing but itself.
type Page struct {
	Title         string
	Head          Raw // more elements of the head
	Style, Script string
}

// Begin writes all up to the content.
func (p Page) Begin(w Writer) {
	w.Put(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="%s">
<meta name="viewport" content="width=device-width, initial-scale=1">
%s<title>%s</title>
<style>%s</style>
</head>
<body>
`, Raw(p.policy()), p.Head, p.Title, Raw(p.Style))
}

// End writes all after the content.
func (p Page) End(w Writer) error {
	w.Put("<script>%s</script>\n</body>\n</html>\n", Raw(p.Script))
	return w.Flush()
}

// policy is a Content-Security-Policy that allows pictures of the page itself, its style and its script.
func (p Page) policy() string {
	return fmt.Sprintf("default-src 'none'; img-src data:; style-src '%s'; script-src '%s'; base-uri 'none'; "+
		"form-action 'none'", hash(p.Style), hash(p.Script))
}

// hash allows a browser to use a style or a script, and no other.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
