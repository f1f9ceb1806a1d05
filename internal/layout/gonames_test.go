package layout

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strings"
	"testing"
)

// goNames are the names that the Go code of the repository declares.
type goNames struct {
	// top has what each package declares, by the name of the package: "denoise.File". members has fields and methods
	// by the name of their type: "Options.Noise". any has all of these names alone.
	top, members, any map[string]bool
	packages, types   map[string]bool
}

func declaredNames(t *testing.T) goNames {
	t.Helper()
	n := goNames{map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}}
	files := token.NewFileSet()
	for name, text := range tracked(t, "*.go") {
		f, err := parser.ParseFile(files, name, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		n.packages[f.Name.Name] = f.Name.Name != "main"
		for _, d := range f.Decls {
			n.add(f.Name.Name, d)
		}
	}
	return n
}

func (n goNames) add(pkg string, d ast.Decl) {
	top := func(name string) { n.top[pkg+"."+name], n.any[name] = true, true }
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			top(d.Name.Name)
			return
		}
		n.member(receiver(d.Recv.List[0].Type), d.Name.Name)
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.ValueSpec:
				for _, name := range s.Names {
					top(name.Name)
				}
			case *ast.TypeSpec:
				top(s.Name.Name)
				n.types[s.Name.Name] = true
				n.fields(s.Name.Name, s.Type)
			}
		}
	}
}

// fields adds the fields of a struct, or the methods of an interface. Embedded fields count by their own names.
func (n goNames) fields(typ string, e ast.Expr) {
	var list *ast.FieldList
	switch e := e.(type) {
	case *ast.StructType:
		list = e.Fields
	case *ast.InterfaceType:
		list = e.Methods
	default:
		return
	}
	for _, f := range list.List {
		for _, name := range f.Names {
			n.member(typ, name.Name)
		}
		if len(f.Names) == 0 {
			n.member(typ, receiver(f.Type))
		}
	}
}

func (n goNames) member(typ, name string) {
	n.members[typ+"."+name], n.any[name] = true, true
}

// receiver returns the name of the type of a receiver or of an embedded field.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.Ident:
		return e.Name
	}
	return ""
}

var (
	inCode     = regexp.MustCompile("`([^`\n]+)`")
	codeBlock  = regexp.MustCompile("(?ms)^```.*?^```$")
	fileName   = regexp.MustCompile(`\.(go|py|sh|csv|html|svg|json|png|tif|jpg)$`)
	goSelector = regexp.MustCompile(`^([A-Za-z]\w*)\.([A-Za-z]\w*)(?:\.([A-Za-z]\w*))?$`)
	goWord     = regexp.MustCompile(`^[A-Za-z][a-z0-9]+[A-Z]\w*$|^[A-Z][a-z]\w+$`)
	// notGo are words in backquotes that look like names of Go and are none.
	notGo = map[string]bool{"Origin": true}
)

// missing tells whether a text in backquotes is a name of Go that the code does not declare. Names of files and words
// of other kinds are no names of Go.
func (n goNames) missing(text string) bool {
	text = strings.TrimSuffix(text, "()")
	if fileName.MatchString(text) || notGo[text] {
		return false
	}
	m := goSelector.FindStringSubmatch(text)
	if m == nil {
		return goWord.MatchString(text) && !n.any[text]
	}
	first, second, third := m[1], m[2], m[3]
	switch {
	case n.packages[first] && ast.IsExported(second):
		return !n.top[first+"."+second] || third != "" && !n.members[second+"."+third]
	case n.types[first] && (ast.IsExported(first) || !ast.IsExported(second)): // image.Image is of Go's own library
		return !n.members[first+"."+second]
	case goWord.MatchString(first) && n.any[first]: // a field, and a field of its type
		return !n.any[second]
	}
	return false
}

// Names of Go in backquotes, such as denoise.File, Options.Noise and ErrLimit, are declared in the code. CHANGELOG.md
// may name what is gone, and the page of the Python package names what Python has.
func TestGoNamesOfMarkdownExist(t *testing.T) {
	names := declaredNames(t)
	for page, text := range markdown(t) {
		if page == "CHANGELOG.md" || page == "contrib/python/README.md" {
			continue
		}
		for _, m := range inCode.FindAllStringSubmatch(codeBlock.ReplaceAllString(text, ""), -1) {
			if names.missing(m[1]) {
				t.Errorf("%s: the code declares no %s", page, m[1])
			}
		}
	}
}

func TestMissingGoNames(t *testing.T) {
	names := declaredNames(t)
	for text, missing := range map[string]bool{
		"denoise.File": false, "denoise.AnalyseAll": true, "imageio.Image.Planes": false, "imageio.Image.Nothing": true,
		"Options.Noise": false, "Options.Noises": true, "ErrLimit": false, "ErrLimits": true,
		"TestMissingGoNames": false, "TestMissingGoName": true, "maxColumns": false, "maxColumnsOfAll": true,
		"Write.Format": false, "Write.Formats": true, "image.Image": false, "photo.jpg": false, "NAME.orig": false,
		"train.py": false, "DATA": false, "fast": false,
	} {
		if got := names.missing(text); got != missing {
			t.Errorf("%s: missing is %v", text, got)
		}
	}
}
