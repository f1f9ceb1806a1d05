package layout

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/denoise"
)

// Options hold what the caller said, and nothing else: all of it can be said by any program.
func TestOptionsHideNothing(t *testing.T) {
	for _, o := range []any{denoise.Options{}, denoise.FileOptions{}} {
		for _, f := range reflect.VisibleFields(reflect.TypeOf(o)) {
			if !f.IsExported() && len(f.Index) < 3 { // the fields of other structs are theirs
				t.Errorf("%T hides %s", o, f.Name)
			}
		}
	}
}

// maxDeciding and maxFindingFiles are how many returns of how many files tell noise. They may only fall.
const maxDeciding, maxFindingFiles = 20, 5

// What decides about a file is in few places.
func TestReturnsThatTellNoise(t *testing.T) {
	names, err := filepath.Glob("../../denoise/*.go")
	if err != nil || len(names) == 0 {
		t.Fatalf("%d files, %v", len(names), err)
	}
	returns, files := 0, 0
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		if n := deciding(f); n > 0 {
			returns, files = returns+n, files+1
		}
	}
	if returns > maxDeciding || files > maxFindingFiles || returns < maxDeciding/2 {
		t.Errorf("%d returns in %d files tell noise, more than %d in %d (or the test looks at nothing)", returns, files,
			maxDeciding, maxFindingFiles)
	}
}

// deciding counts the returns of a file that may answer with a noise: those of functions that return an answer, but for
// the zero answer.
func deciding(f *ast.File) (n int) {
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Type.Results == nil || !isAnswer(fn.Type.Results.List[0].Type) {
			continue
		}
		ast.Inspect(fn.Body, func(node ast.Node) bool {
			r, ok := node.(*ast.ReturnStmt)
			if !ok || len(r.Results) == 0 {
				return true
			}
			if c, ok := r.Results[0].(*ast.CompositeLit); !ok || len(c.Elts) > 0 {
				n++
			}
			return true
		})
	}
	return n
}

func isAnswer(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "answer"
}
