package main

import (
	"encoding/csv"
	"io"
	"path/filepath"
	"strconv"
	"strings"
)

// csvColumns are the columns of a report as CSV, which has the rows of the HTML report and no totals.
var csvColumns = []struct {
	name  string
	value func(sheetRow) string
}{
	{"path", func(r sheetRow) string { return notFormula(r.Path) }},
	{"output", func(r sheetRow) string { return notFormula(r.Output) }},
	{"status", func(r sheetRow) string { return r.Status }},
	{"error", func(r sheetRow) string { return r.errorKind() }},
	{"reason", sheetRow.why},
	{"width", func(r sheetRow) string { return numberCell(r.Width) }},
	{"height", func(r sheetRow) string { return numberCell(r.Height) }},
	{"pages", func(r sheetRow) string { return numberCell(r.Pages) }},
	{"copied_pages", func(r sheetRow) string { return numberCell(r.Copied) }},
	{"bytes", func(r sheetRow) string { return numberCell(r.Bytes) }},
	{"noise", ofNoise(func(n noiseRecord) string { return n.Kind.String() })},
	{"sigma", func(r sheetRow) string { return knownCell(r.Sigma) }},
	{"gain", ofNoise(func(n noiseRecord) string { return numberCell(n.Gain) })},
	{"offset", ofNoise(func(n noiseRecord) string { return knownCell(n.Offset) })},
	{"read_noise", ofNoise(func(n noiseRecord) string { return knownCell(n.ReadNoise) })},
	{"warnings", func(r sheetRow) string { return strings.Join(r.Warnings, "; ") }},
	{"model", func(r sheetRow) string { return r.Model }},
	{"started", func(r sheetRow) string { return r.Started }},
	{"seconds", func(r sheetRow) string { return numberCell(r.Seconds) }},
	{"input_sha256", func(r sheetRow) string { return r.InputSum }},
	{"output_sha256", func(r sheetRow) string { return r.OutputSum }},
	{"version", func(r sheetRow) string { return r.Version }},
	{"fingerprint", func(r sheetRow) string { return r.Fingerprint }},
}

func (r sheetRow) errorKind() string {
	if r.Error == nil {
		return ""
	}
	return r.Error.Kind
}

// why is the reason of an error, of a copy or of a file that was left out.
func (r sheetRow) why() string {
	if r.Error != nil {
		return r.Error.Message
	}
	return r.Reason
}

// ofNoise returns nothing for a file whose noise is not known.
func ofNoise(value func(noiseRecord) string) func(sheetRow) string {
	return func(r sheetRow) string {
		if r.Noise == nil {
			return ""
		}
		return value(*r.Noise)
	}
}

// numberCell returns a number as text, and nothing for 0, which means that the number is not known.
func numberCell[T int | int64 | float64](v T) string {
	if v == 0 {
		return ""
	}
	return strconv.FormatFloat(float64(v), 'f', -1, 64)
}

func knownCell(v *float64) string {
	if v == nil {
		return ""
	}
	return numberCell(*v)
}

// notFormula makes sure that a spreadsheet does not take the name of a file for a formula.
func notFormula(path string) string {
	if path != "" && strings.Contains("=+-@\t\r", path[:1]) {
		return "." + string(filepath.Separator) + path
	}
	return path
}

// csvHead is the first line of a report as CSV, without its end.
func csvHead() string {
	var names []string
	for _, c := range csvColumns {
		names = append(names, c.name)
	}
	return strings.Join(names, ",")
}

func writeCSV(w io.Writer, s *sheet) error {
	to := csv.NewWriter(w)
	if err := to.Write(strings.Split(csvHead(), ",")); err != nil {
		return err
	}
	line := make([]string, len(csvColumns))
	for _, r := range s.sorted() {
		for i, c := range csvColumns {
			line[i] = c.value(r)
		}
		if err := to.Write(line); err != nil {
			return err
		}
	}
	to.Flush()
	return to.Error()
}
