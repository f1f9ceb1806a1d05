// Package report makes one HTML page of the results of experiments: text, tables, and figures drawn with gonum/plot.
// The page loads nothing from elsewhere.
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
	Machine  string // processor, number of cores, system, Go version
	Command  string // the command that made the page
	Date     string
	Sections []Section
}

// Section is the result of one experiment. It is complete, so that it can be kept as JSON and shown later.
type Section struct {
	Name      string   `json:"name"`  // short name, for file names
	Title     string   `json:"title"` // heading
	Label     string   `json:"label"` // labels of the paper's figures, tables or sections
	Size      string   `json:"size"`  // numbers of steps, pairs and images, and those of the paper
	Text      []string `json:"text"`  // paragraphs
	Tables    []Table  `json:"tables"`
	Figures   []Figure `json:"figures"`
	Command   string   `json:"command"` // the command that repeats the experiment
	Seed      uint64   `json:"seed"`
	Seconds   float64  `json:"seconds"`   // by the wall clock
	Processor float64  `json:"processor"` // seconds of processor time; 0 = not known
	Load      string   `json:"load"`      // load average of the machine at the start, to show what else ran; "" = not known
}

// Table has one row for each item that is compared.
type Table struct {
	Caption string     `json:"caption"`
	Words   bool       `json:"words,omitempty"` // cells hold text, which is aligned to the left
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

// Processor returns the processor time of all sections in minutes.
func (p Page) Processor() float64 { return p.minutes(func(s Section) float64 { return s.Processor }) }

// Wall returns the time of all sections by the wall clock in minutes.
func (p Page) Wall() float64 { return p.minutes(func(s Section) float64 { return s.Seconds }) }

func (p Page) minutes(seconds func(Section) float64) (sum float64) {
	for _, s := range p.Sections {
		sum += seconds(s) / 60
	}
	return sum
}

//go:embed page.html
var files embed.FS

var page = template.Must(template.New("page.html").Funcs(template.FuncMap{
	// numbers and short texts stay on one line
	"short": func(cell string) bool { return utf8.RuneCountInString(cell) <= 12 },
	// drawn by this package, so it is safe
	"svg": func(s string) template.HTML { return template.HTML(s) },
	"png": func(data []byte) template.URL {
		return template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(data))
	},
}).ParseFS(files, "page.html"))

// Write writes the page as HTML.
func (p Page) Write(w io.Writer) error { return page.Execute(w, p) }
