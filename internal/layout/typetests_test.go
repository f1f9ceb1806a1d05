package layout

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// maxTypeTests is how many type switches and type assertions package denoise may have. What depends on the kind of
// noise is a method of that kind, so that a new kind has one place. The number may only fall.
const maxTypeTests = 4

func TestTypeTestsOfDenoise(t *testing.T) {
	names, err := filepath.Glob("../../denoise/*.go")
	if err != nil || len(names) == 0 {
		t.Fatalf("%d files, %v", len(names), err)
	}
	n := 0
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(node ast.Node) bool {
			if _, ok := node.(*ast.TypeAssertExpr); ok { // also that of a switch
				n++
			}
			return true
		})
	}
	if n != maxTypeTests {
		t.Errorf("%d type tests, not %d: make the new one a method, or write the smaller number down here", n,
			maxTypeTests)
	}
}
