package layout

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// What a public package exports has types that its users can name: none of internal packages. An exported alias gives a
// type a name.
func TestExportedTypesHaveNames(t *testing.T) {
	public := 0
	for pkg := range imports(t) {
		if strings.Contains("/"+pkg, "/internal/") || strings.HasPrefix(pkg, "cmd/") ||
			strings.HasPrefix(pkg, "contrib/") {
			continue
		}
		public++
		names, err := filepath.Glob(filepath.Join("..", "..", pkg, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			files := token.NewFileSet()
			f, err := parser.ParseFile(files, name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range unnameable(f) {
				t.Errorf("%s: users cannot name this type", files.Position(e.Pos()))
			}
		}
	}
	if public == 0 {
		t.Error("no public package")
	}
}

// unnameable returns the types of internal packages in the exported declarations of a file.
func unnameable(f *ast.File) (list []ast.Node) {
	internal := map[string]bool{} // names of packages
	for _, i := range f.Imports {
		path, _ := strconv.Unquote(i.Path.Value)
		if strings.Contains(path, "/internal/") {
			internal[filepath.Base(path)] = true
		}
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && hasExportedReceiver(d) {
				list = append(list, typesOf(d.Type, internal)...)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					if s.Name.IsExported() && !s.Assign.IsValid() {
						list = append(list, typesOf(s.Type, internal)...)
					}
				case *ast.ValueSpec:
					if s.Type != nil && slices.ContainsFunc(s.Names, (*ast.Ident).IsExported) {
						list = append(list, typesOf(s.Type, internal)...)
					}
				}
			}
		}
	}
	return list
}

// hasExportedReceiver reports whether a function is no method, or one of an exported type.
func hasExportedReceiver(d *ast.FuncDecl) bool {
	exported := true
	if d.Recv != nil {
		ast.Inspect(d.Recv.List[0].Type, func(n ast.Node) bool {
			name, ok := n.(*ast.Ident)
			exported = exported && (!ok || name.IsExported())
			return exported
		})
	}
	return exported
}

// typesOf returns the types of some packages in a type, without its fields and methods that are not exported.
func typesOf(typ ast.Node, packages map[string]bool) (list []ast.Node) {
	members := func(fields *ast.FieldList) {
		for _, f := range fields.List {
			if len(f.Names) == 0 || slices.ContainsFunc(f.Names, (*ast.Ident).IsExported) {
				list = append(list, typesOf(f.Type, packages)...)
			}
		}
	}
	ast.Inspect(typ, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.StructType:
			members(n.Fields)
			return false
		case *ast.InterfaceType:
			members(n.Methods)
			return false
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && packages[x.Name] {
				list = append(list, n)
			}
		}
		return true
	})
	return list
}

// The test above sees types wherever they stand.
func TestUnnameableTypesAreSeen(t *testing.T) {
	const text = `package p
import "x/internal/in"
type A struct { In in.T; own in.T; Other int }
type B interface { M([]in.T); m(in.T) }
type C = in.T
type d struct { In in.T }
func (A) M(func() *in.T) {}
func (d) M(in.T) {}
func f(in.T) {}
var V, w map[string]in.T
`
	f, err := parser.ParseFile(token.NewFileSet(), "", text, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := unnameable(f); len(got) != 4 {
		t.Errorf("%d types, want those of A.In, B.M, A.M and V", len(got))
	}
}
