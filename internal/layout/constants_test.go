package layout

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// findingFolders have what finds noise, and what it depends on.
var findingFolders = []string{"denoise", "internal/burst", "internal/dither", "internal/drawn", "internal/estimate",
	"internal/ink", "internal/level", "internal/mask", "internal/noisecurve", "internal/noisemap", "internal/tonecurve"}

// maxConstants is how many numeric constants the packages that find noise may declare. Each is a decision that was
// fitted to some files and may be wrong for others. So the number may only fall.
const maxConstants = 262

// A rule that finds noise, or a constant in one, takes the place of others.
func TestConstantsOfFindingNoise(t *testing.T) {
	n := 0
	for _, folder := range findingFolders {
		names, err := filepath.Glob(filepath.Join("..", "..", folder, "*.go"))
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %d files, %v", folder, len(names), err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			n += numericConstants(f)
		}
	}
	if n != maxConstants {
		t.Errorf("%d numeric constants, not %d: remove two for each new one, or write the smaller number down here", n,
			maxConstants)
	}
}

// numericConstants counts the names that a file declares by const, anywhere, with numbers and nothing else.
func numericConstants(f *ast.File) (n int) {
	ast.Inspect(f, func(node ast.Node) bool {
		d, ok := node.(*ast.GenDecl)
		if !ok || d.Tok != token.CONST {
			return true
		}
		for _, s := range d.Specs {
			for _, v := range s.(*ast.ValueSpec).Values {
				if isNumeric(v) {
					n++
				}
			}
		}
		return true
	})
	return n
}

// isNumeric reports whether an expression has numbers, and no texts.
func isNumeric(e ast.Expr) bool {
	numbers, others := false, false
	ast.Inspect(e, func(node ast.Node) bool {
		if l, ok := node.(*ast.BasicLit); ok {
			isNumber := l.Kind == token.INT || l.Kind == token.FLOAT
			numbers, others = numbers || isNumber, others || !isNumber
		}
		return true
	})
	return numbers && !others
}
