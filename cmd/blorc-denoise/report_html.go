package main

import (
	_ "embed" // the style and the script of the page
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/markup"
)

var (
	//go:embed page/report.css
	reportStyle string
	//go:embed page/report.js
	reportScript string
)

// htmlMark is how a page is known as a report that may be replaced.
const htmlMark = `<meta name="generator" content="blorc-denoise report">`

// htmlWriter writes a report.
type htmlWriter struct{ markup.Writer }

// visible is oneLine for a page: names may hold control characters, and letters that turn the direction of the text.
func visible(s string) string { return oneLine(s) }

// writeHTML writes a page that needs nothing but itself. Its rows are plain elements, so it can be read without the
// script, which only sorts and hides them.
func writeHTML(to io.Writer, s *sheet) error {
	h := htmlWriter{markup.NewWriter(to)}
	h.Text = visible
	page := markup.Page{Title: s.title(), Head: htmlMark + "\n", Style: reportStyle, Script: reportScript}
	page.Begin(h.Writer)
	h.head(s)
	rows := s.sorted()
	failed := 0
	for failed < len(rows) && rows[failed].Status == statusFailed {
		failed++
	}
	if failed > 0 {
		h.Put("<h2 id=\"failures\">Failed</h2>\n<ul class=\"rows\" aria-labelledby=\"failures\">\n")
		for i, r := range rows[:failed] {
			h.row(s, r, i)
		}
		h.Put("</ul>\n")
	}
	h.Put("<h2 id=\"files\">Files</h2>\n")
	h.tools(rows[failed:])
	h.Put("<ul class=\"rows\" id=\"rows\" aria-labelledby=\"files\">\n")
	for i, r := range rows[failed:] {
		h.row(s, r, i)
	}
	h.Put("</ul>\n")
	return page.End(h.Writer)
}

func (s *sheet) title() string {
	return fmt.Sprintf("Denoising of %s, %s", countOf(int64(s.total), "file"), s.start.Format("2006-01-02 15:04"))
}

// head writes the totals.
func (h htmlWriter) head(s *sheet) {
	h.Put("<h1>%s</h1>\n", s.title())
	state := "still running; what was known at " + time.Now().Format("15:04:05")
	switch {
	case s.cut:
		state = "interrupted after " + duration(s.end.Sub(s.start).Seconds())
	case !s.end.IsZero():
		state = "ended after " + duration(s.end.Sub(s.start).Seconds())
	}
	h.Put("<p>%s %s, %s.<br><code>%s</code></p>\n<ul class=\"totals\">\n", program, version(), state,
		commandLine(os.Args[1:]))
	h.totals(s)
	h.Put("</ul>\n")
	for _, passed := range describePassed(s.found.Passed) {
		h.Put("<p class=\"weak\">Passed over: %s.</p>\n", passed)
	}
	if i := slices.IndexFunc(s.rows, func(r sheetRow) bool { return len(r.Options) > 0 }); i >= 0 { // all have the same
		h.Put("<details><summary>options</summary><code>%s</code></details>\n", string(s.rows[i].Options))
	}
	if s.jobs > maxPictures {
		h.Put("<p class=\"weak\">About %d of the files have pictures.</p>\n", maxPictures)
	}
}

// totals writes how much was done. What is none is left out.
func (h htmlWriter) totals(s *sheet) {
	n := map[string]int{}
	pixels, pages, files := int64(0), 0, 0
	for _, r := range s.rows {
		n[r.Status]++
		if r.Status == statusDone || r.Status == statusCopied {
			pixels += r.Width * r.Height * int64(max(1, r.Pages))
			pages += r.Pages
			files++
		}
	}
	h.Put("<li><b>%d</b> done</li>\n", n[statusDone])
	for _, t := range []struct {
		class, what string
		count       int
	}{{"", "copied", n[statusCopied]}, {"", "planned", n[statusPlanned]}, {"", "skipped", n[statusSkipped]},
		{"bad", "failed", n[statusFailed]}, {"bad", "not done", s.total - len(s.rows) + n[statusInterrupted]}} {
		if t.count > 0 {
			h.Put("<li class=\"%s\"><b>%d</b> %s</li>\n", t.class, t.count, t.what)
		}
	}
	if pixels > 0 {
		h.Put("<li><b>%.1f</b> megapixels</li>\n", float64(pixels)/1e6)
	}
	if pages > files {
		h.Put("<li class=\"\"><b>%d</b> pages</li>\n", pages)
	}
}

// tools writes what sorts and filters. Without the script they stay hidden.
func (h htmlWriter) tools(rows []sheetRow) {
	h.Put("<div class=\"tools\" role=\"search\" hidden>\n<label>Search names and noise ( / )<input id=\"search\" " +
		"type=\"search\" autocomplete=\"off\"></label>\n")
	h.Put("<label>Status<select id=\"status\"><option value=\"\">all</option>")
	seen := map[string]bool{}
	for _, r := range rows {
		if !seen[r.Status] {
			seen[r.Status] = true
			h.Put("<option>%s</option>", r.Status)
		}
	}
	h.Put("</select></label>\n<label>Order<select id=\"order\">")
	for _, o := range []struct{ key, name string }{{"order", "name"}, {"noise down", "most noise first"},
		{"noise", "least noise first"},
		{"seconds down", "slowest first"}, {"pixels down", "largest first"}} {
		h.Put("<option value=\"%s\">%s</option>", o.key, o.name)
	}
	h.Put("</select></label>\n<output id=\"shown\" class=\"weak\"></output>\n</div>\n")
}

// row writes a file. What is not known is left out.
func (h htmlWriter) row(s *sheet, r sheetRow, i int) {
	sigma := 0.0
	if r.Sigma != nil {
		sigma = *r.Sigma
	}
	h.Put("<li class=\"%s\" data-status=\"%s\" data-order=\"%d\" data-noise=\"%.4g\" data-seconds=\"%.4g\" "+
		"data-pixels=\"%d\">\n", r.Status, r.Status, i, sigma,
		r.Seconds, r.Width*r.Height)
	h.Put("<div class=\"about\">\n<p class=\"name\">%s</p>\n", r.Path)
	if why := r.why(); why != "" {
		class := "weak"
		if r.Error != nil {
			class = "why"
		}
		h.Put("<p class=\"%s\">%s: %s</p>\n", class, r.Status, why)
	} else {
		h.Put("<p>%s%s</p>\n", r.Status, r.noiseText())
	}
	h.details(s, r)
	h.Put("</div>\n")
	if r.shown != nil {
		h.pictures(r)
	}
	h.Put("</li>\n")
}

// noiseText says what noise was found, after a comma.
func (r sheetRow) noiseText() string {
	if r.Noise == nil {
		return ""
	}
	return ", " + r.found
}

// details writes the facts that are wanted now and then.
func (h htmlWriter) details(s *sheet, r sheetRow) {
	if r.Started == "" && r.Width == 0 {
		return
	}
	h.Put("<details><summary>details</summary><dl>\n")
	fact := func(name, value string) {
		if value != "" {
			h.Put("<dt>%s</dt><dd>%s</dd>\n", name, value)
		}
	}
	if r.Status == statusFailed {
		h.Put("<dt>file</dt><dd>%s</dd>\n", s.link(r.Path))
	} else if r.Output != "" {
		h.Put("<dt>output</dt><dd>%s</dd>\n", s.link(r.Output))
	}
	if r.Width > 0 {
		size := fmt.Sprintf("%d × %d pixels", r.Width, r.Height)
		if r.Pages > 1 {
			size += fmt.Sprintf(", %d pages", r.Pages)
		}
		fact("size", fmt.Sprintf("%s, %s", size, countOf(r.Bytes, "byte")))
	}
	if r.Copied > 0 {
		fact("copied", countOf(int64(r.Copied), "page"))
	}
	if s.verbose {
		fact("model", r.Model)
	}
	fact("started", r.Started)
	if r.Seconds > 0 {
		fact("took", fmt.Sprintf("%.1f s", r.Seconds))
	}
	fact("SHA-256 before", r.InputSum)
	fact("SHA-256 after", r.OutputSum)
	h.Put("</dl></details>\n")
}

// link returns a link from the report to a file.
func (s *sheet) link(path string) markup.Raw {
	text := html.EscapeString(visible(path))
	from, err1 := filepath.Abs(filepath.Dir(s.path))
	to, err2 := filepath.Abs(path)
	rel, err3 := filepath.Rel(from, to)
	if err1 != nil || err2 != nil || err3 != nil {
		return markup.Raw(text)
	}
	parts := strings.Split(filepath.ToSlash(rel), "/")
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	return markup.Raw(fmt.Sprintf("<a href=\"./%s\">%s</a>", html.EscapeString(strings.Join(parts, "/")), text))
}

func (h htmlWriter) pictures(r sheetRow) {
	h.Put("<div class=\"pair\">\n")
	for i, data := range [][]byte{r.shown.before, r.shown.after} {
		name := []string{"before", "after"}[i]
		h.Put("<figure><img width=\"%d\" height=\"%d\" loading=\"lazy\" decoding=\"async\" alt=\"%s: %s\" "+
			"src=\"data:image/jpeg;base64,", r.shown.width, r.shown.height,
			r.Path, name)
		to := base64.NewEncoder(base64.StdEncoding, h)
		to.Write(data)
		to.Close()
		h.Put("\"><figcaption>%s%s</figcaption></figure>\n", name, r.shown.note())
	}
	h.Put("</div>\n")
}

// note says where the part is and how it is shown.
func (t *thumbnails) note() string {
	text := fmt.Sprintf(", at %d,%d", t.x, t.y)
	if t.low != 0 || t.high != 1 {
		text += ", range stretched"
	}
	return text
}

// countOf returns a number with its noun.
func countOf(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
