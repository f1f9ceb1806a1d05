package layout

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// exported counts the exported constants, variables, functions, types and methods of a package.
func exported(t *testing.T, folder string) (n int) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("..", "..", folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	files := token.NewFileSet()
	var parsed []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(files, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, f)
	}
	p, err := doc.NewFromFiles(files, parsed, module+folder)
	if err != nil {
		t.Fatal(err)
	}
	count := func(values []*doc.Value) {
		for _, v := range values {
			for _, name := range v.Names {
				if ast.IsExported(name) {
					n++
				}
			}
		}
	}
	count(p.Consts)
	count(p.Vars)
	n += len(p.Funcs)
	for _, typ := range p.Types {
		n += 1 + len(typ.Funcs) + len(typ.Methods)
		count(typ.Consts)
		count(typ.Vars)
	}
	return n
}

var publicRow = regexp.MustCompile("(?m)^\\| `([a-z/]+)` \\| (\\d+) \\|")

// The table of public packages in CONTRIBUTING.md is complete, and its numbers are right.
func TestTableOfPublicPackages(t *testing.T) {
	text, err := os.ReadFile("../../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, m := range publicRow.FindAllStringSubmatch(string(text), -1) {
		listed[m[1]] = true
		want, err := strconv.Atoi(m[2])
		if err != nil {
			t.Fatal(err)
		}
		if got := exported(t, m[1]); got != want {
			t.Errorf("CONTRIBUTING.md says %d exported names of %s, the code has %d", want, m[1], got)
		}
	}
	for pkg := range imports(t) {
		private := strings.HasPrefix(pkg, "internal/") || strings.HasPrefix(pkg, "cmd/") ||
			strings.HasPrefix(pkg, "contrib/")
		if !private && !listed[pkg] {
			t.Errorf("CONTRIBUTING.md does not list the public package %s", pkg)
		}
	}
}
