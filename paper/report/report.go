// Package report makes one HTML page, complete in itself, of the results of experiments: text, tables, and figures drawn
// with gonum/plot.
package report

import (
	"embed"
	"encoding/base64"
	"html/template"
	"io"
	"unicode/utf8"
)

// Page is the whole report.
type Page struct {
	Title    string
	Machine  string // processor, number of cores, Go version
	Command  string // that made it
	Date     string
	Sections []Section
}

// Section is one experiment. It holds everything it needs, so that it can be kept as JSON and shown later.
type Section struct {
	Name      string   `json:"name"`  // short, in file names
	Title     string   `json:"title"` // for people
	Label     string   `json:"label"` // of the paper's figure, table or section
	Size      string   `json:"size"`  // what the numbers of steps, pairs and images were, and the paper's
	Text      []string `json:"text"`  // paragraphs
	Tables    []Table  `json:"tables"`
	Figures   []Figure `json:"figures"`
	Command   string   `json:"command"`
	Seed      uint64   `json:"seed"`
	Seconds   float64  `json:"seconds"`   // on the wall
	Processor float64  `json:"processor"` // seconds of processor time; 0 = not known
	Load      string   `json:"load"`      // load average of the machine when it began: what else ran; "" = not known
}

// Table has one row for each thing that is compared.
type Table struct {
	Caption string     `json:"caption"`
	Words   bool       `json:"words,omitempty"` // the cells hold sentences, not numbers
	Head    []string   `json:"head"`
	Rows    [][]string `json:"rows"`
}

// Add appends a row.
func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

// Figure is a row of pictures.
type Figure struct {
	Caption  string    `json:"caption"`
	Pictures []Picture `json:"pictures"`
}

// Picture is an SVG element or the data of a PNG file.
type Picture struct {
	Title string `json:"title"`
	SVG   string `json:"svg,omitempty"`
	PNG   []byte `json:"png,omitempty"`
}

// Processor and Wall are the times of all sections in minutes.
func (p Page) Processor() float64 { return p.minutes(func(s Section) float64 { return s.Processor }) }
func (p Page) Wall() float64      { return p.minutes(func(s Section) float64 { return s.Seconds }) }

func (p Page) minutes(seconds func(Section) float64) (sum float64) {
	for _, s := range p.Sections {
		sum += seconds(s) / 60
	}
	return sum
}

//go:embed page.html
var files embed.FS

var page = template.Must(template.New("page.html").Funcs(template.FuncMap{
	"short": func(cell string) bool { return utf8.RuneCountInString(cell) <= 12 }, // a number, or few words: not broken
	"svg":   func(s string) template.HTML { return template.HTML(s) },             // drawn by this package, from numbers and its own words
	"png": func(data []byte) template.URL {
		return template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(data))
	},
}).ParseFS(files, "page.html"))

// Write writes the page.
func (p Page) Write(w io.Writer) error { return page.Execute(w, p) }
