package compare

import (
	"strings"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/markup"
)

// page is what all pages have.
type page struct {
	title    string
	labels   []string // of the pictures of all figures
	settings []Setting
	command  string
}

func (p page) frame() markup.Page {
	return markup.Page{Title: p.title + ": before and after denoising", Style: pageCSS, Script: pageJS}
}

// begin writes everything up to the heading.
func (p page) begin(w markup.Writer) {
	p.frame().Begin(w)
	w.Put("<main>\n<h1>%s</h1>\n", p.title)
}

// bar writes the choices for all figures. Those of sides are for more than two pictures.
func (p page) bar(w markup.Writer) {
	w.Put(`<div class="bar">`)
	if len(p.labels) > 2 {
		for i, side := range []string{"Left", "Right"} {
			w.Put(`<label>%s <select id="%s">`, side, strings.ToLower(side))
			for j, label := range p.labels {
				w.Put(`<option value="%d"%s>%s</option>`, j, attribute(j == i, " selected"), label)
			}
			w.Put("</select></label>\n")
		}
	}
	w.Put(`<label>Compare by <select id="way"><option value="slider">a slider</option><option value="side">side by side</option></select></label>
<label>Crops at <select id="zoom"><option value="1">100 %%</option><option value="2">200 %%</option><option value="4">400 %%</option></select></label></div>
`)
}

// end writes the settings and the rest of the page.
func (p page) end(w markup.Writer) error {
	w.Put(`<h2>Settings</h2>
<div class="table"><table class="settings">`)
	for _, s := range p.settings {
		w.Put(`<tr><th scope="row">%s</th><td>%s</td></tr>`, s.Name, s.Value)
	}
	w.Put("</table></div>\n")
	if p.command != "" {
		w.Put("<h2>Command line</h2><pre>%s</pre>\n", p.command)
	}
	w.Put("</main>\n")
	return p.frame().End(w)
}

// attribute returns an attribute if an element has it.
func attribute(has bool, text markup.Raw) markup.Raw {
	if has {
		return text
	}
	return ""
}

// write writes a figure with its slider.
func (f figure) write(w markup.Writer, class string) {
	w.Put(`<figure class="%s"><div class="pair"><div class="stack">`, class)
	for i, p := range f.Pictures {
		w.Put(`<img src="%s" width="%d" height="%d" alt="%s, %s" data-label="%s"%s>`, p, f.Width, f.Height, f.Name,
			f.Labels[i], f.Labels[i], attribute(i > 1, ` class="off"`))
	}
	w.Put(`<span class="line"></span><span class="tag left" aria-hidden="true"></span><span class="tag right" aria-hidden="true"></span></div></div>
<input type="range" min="0" max="100" step="0.5" value="50" aria-label="Border between both pictures: %s">
<figcaption><b>%s</b>, %s</figcaption></figure>
`, f.Name, f.Name, f.Note)
}
