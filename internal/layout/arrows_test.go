package layout

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// maxUp is how many files of package denoise may use one that the list names above them. It may only fall.
const maxUp = 15

// A reader who goes through package denoise from top to bottom, in the order of testdata/denoise.txt, meets next to
// nothing twice: files use those below them.
func TestFilesOfDenoiseUseThoseBelow(t *testing.T) {
	text, err := os.ReadFile("testdata/denoise.txt")
	if err != nil {
		t.Fatal(err)
	}
	order := strings.Fields(string(text))
	arrows, files := fileArrows(t, "../../denoise")
	if sorted := slices.Sorted(slices.Values(order)); !slices.Equal(sorted, files) {
		t.Errorf("testdata/denoise.txt lists %d files, there are %d: %v", len(order), len(files),
			difference(sorted, files))
	}
	var up []string
	for a := range arrows {
		if slices.Index(order, a[0]) > slices.Index(order, a[1]) {
			up = append(up, a[0]+" uses "+a[1])
		}
	}
	slices.Sort(up)
	if len(up) != maxUp {
		t.Errorf("%d files use one above them, not %d; if they are fewer, write the number down here:\n%s", len(up),
			maxUp, strings.Join(up, "\n"))
	}
}

// difference returns what is in one of two lists alone.
func difference(a, b []string) (only []string) {
	for _, name := range slices.Concat(a, b) {
		if slices.Contains(a, name) != slices.Contains(b, name) {
			only = append(only, name)
		}
	}
	return only
}

// fileArrows returns which files of a folder use names that another one declares, and all of them.
func fileArrows(t *testing.T, folder string) (arrows map[[2]string]bool, files []string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	var parsed []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		parsed, files = append(parsed, f), append(files, filepath.Base(name))
	}
	info := types.Info{Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
	c := types.Config{Importer: emptyPackages{}, Error: func(error) {}} // names of other packages do not matter
	pkg, _ := c.Check("denoise", set, parsed, &info)
	arrows = map[[2]string]bool{}
	for id, o := range info.Uses {
		if o.Pkg() != pkg || !o.Pos().IsValid() || isLocal(o, pkg) {
			continue
		}
		from, to := filepath.Base(set.Position(id.Pos()).Filename), filepath.Base(set.Position(o.Pos()).Filename)
		if from != to {
			arrows[[2]string{from, to}] = true
		}
	}
	return arrows, files
}

// isLocal reports whether an object is neither declared by a package nor a method: a field counts as what its type is.
func isLocal(o types.Object, pkg *types.Package) bool {
	if f, ok := o.(*types.Func); ok {
		return f.Signature().Recv() == nil && f.Parent() != pkg.Scope()
	}
	return o.Parent() != pkg.Scope()
}

// emptyPackages imports packages without names.
type emptyPackages struct{}

func (emptyPackages) Import(path string) (*types.Package, error) {
	p := types.NewPackage(path, path[strings.LastIndex(path, "/")+1:])
	p.MarkComplete()
	return p, nil
}
