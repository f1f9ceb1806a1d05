package main

import (
	"regexp"
	"strings"
	"unicode"
)

var (
	recipeText  = regexp.MustCompile(`\{[^{}]*\}`)
	recipeField = regexp.MustCompile(` ?\b([A-Z][A-Za-z0-9]*):`)
)

// inWords writes the recipe in a text about training, "{BatchSize:240 Start:0.9}", as "(batch size 240, start 0.9)".
func inWords(training string) string {
	return recipeText.ReplaceAllStringFunc(training, func(recipe string) string {
		fields := recipeField.ReplaceAllStringFunc(strings.Trim(recipe, "{}"), func(field string) string {
			return ", " + spaced(strings.Trim(field, " :")) + " "
		})
		return "(" + strings.TrimPrefix(fields, ", ") + ")"
	})
}

// spaced writes the name of a field as words: BatchSize is "batch size".
func spaced(name string) string {
	var out strings.Builder
	lower := false
	for _, r := range name {
		if unicode.IsUpper(r) && lower {
			out.WriteByte(' ')
		}
		lower = unicode.IsLower(r)
		out.WriteRune(unicode.ToLower(r))
	}
	return out.String()
}
