package layout

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"strings"
	"testing"
)

// imagingMay are the names of package imaging that the module uses outside of its tests. None of them opens or decodes
// a file: its decoder of TIFF files can be made to panic (CVE-2023-36308).
var imagingMay = map[string]string{
	"cmd/blorc-denoise/internal/display": "Resize Box",
	"contrib/go":                         "Sharpen Fit Lanczos Save",
}

// Package imaging works on own pictures only. Its decoders, and those that it brings along, read no file.
func TestImagingDecodesNothing(t *testing.T) {
	const imaging = "github.com/disintegration/imaging"
	out, err := exec.Command("go", "list", "-f",
		"{{$p := .}}{{range .GoFiles}}{{$p.ImportPath}}\t{{$p.Dir}}/{{.}}\n{{end}}", module+"...").Output()
	if err != nil {
		t.Fatal(err)
	}
	users := 0
	for line := range strings.Lines(string(out)) {
		pkg, path, _ := strings.Cut(strings.TrimSpace(line), "\t")
		pkg = strings.TrimPrefix(pkg, module)
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		uses := false
		for _, i := range f.Imports {
			if i.Path.Value == `"`+imaging+`"` {
				uses = i.Name == nil
				if !uses {
					t.Errorf("%s imports it under another name", path)
				}
			}
		}
		if !uses {
			continue
		}
		users++
		may := strings.Fields(imagingMay[pkg])
		ast.Inspect(f, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := s.X.(*ast.Ident); ok && x.Name == "imaging" && !contains(may, s.Sel.Name) {
				t.Errorf("%s uses imaging.%s", path, s.Sel.Name)
			}
			return true
		})
	}
	if users == 0 {
		t.Error("nothing uses it, so this test looks at nothing")
	}
}

func contains(list []string, name string) bool {
	for _, l := range list {
		if l == name {
			return true
		}
	}
	return false
}

// The program itself registers no decoder of TIFF for image.Decode, which imaging brings along: nothing in the program
// calls image.Decode.
func TestProgramCallsNoRegisteredDecoder(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f",
		"{{if .Module}}{{if .Module.Main}}{{$d := .Dir}}{{range .GoFiles}}{{$d}}/{{.}}\n{{end}}{{end}}{{end}}",
		module+"cmd/blorc-denoise").Output()
	if err != nil {
		t.Fatal(err)
	}
	for path := range strings.FieldsSeq(string(out)) {
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok && (s.Sel.Name == "Decode" || s.Sel.Name == "DecodeConfig") {
				if x, ok := s.X.(*ast.Ident); ok && x.Name == "image" && importsPlain(f, "image") {
					t.Errorf("%s calls image.%s", path, s.Sel.Name)
				}
			}
			return true
		})
	}
}

// importsPlain says whether a file imports a package under its own name.
func importsPlain(f *ast.File, path string) bool {
	for _, i := range f.Imports {
		if i.Path.Value == `"`+path+`"` && i.Name == nil {
			return true
		}
	}
	return false
}
