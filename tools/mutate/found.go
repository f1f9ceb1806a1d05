package main

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// The list has the places that somebody thought of. More are found in the code of the packages that keep promises: each
// place that refuses something, limits it, flushes it or hides it from others. An error that is passed on is no such
// place, and neither is a mutex, which only the race detector would miss.

var guarded = []string{"internal/disk", "watch", "cmd/blorc-denoise/internal/batch", "cmd/blorc-denoise/internal/view",
	"imageio"}

// find returns the places of all guarded packages, as this system compiles them.
func find(root string) (all []place, err error) {
	for _, pkg := range guarded {
		p, err := build.ImportDir(filepath.Join(root, filepath.FromSlash(pkg)), 0)
		if err != nil {
			return nil, err
		}
		for _, name := range append(p.GoFiles, p.CgoFiles...) {
			text, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err != nil {
				return nil, err
			}
			found, err := findIn(pkg, name, text)
			if err != nil {
				return nil, err
			}
			all = append(all, found...)
		}
	}
	return all, nil
}

// findIn returns the places of a file.
func findIn(pkg, name string, text []byte) ([]place, error) {
	files := token.NewFileSet()
	tree, err := parser.ParseFile(files, name, text, 0)
	if err != nil {
		return nil, err
	}
	f := finder{pkg: pkg, name: name, text: text, file: files.File(tree.Pos())}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			f.refusals(n.Type, n.Body)
		case *ast.FuncLit:
			f.refusals(n.Type, n.Body)
		case *ast.IfStmt:
			if limits.MatchString(f.source(n.Cond)) {
				f.never(n)
			}
		case *ast.CallExpr:
			f.call(n)
		case *ast.BasicLit:
			if private.MatchString(n.Value) {
				f.add("a mode for all", n, "0o777")
			}
		case *ast.SelectorExpr:
			if flags.MatchString(n.Sel.Name) {
				f.add("a flag that is not set", n, "0*"+f.source(n))
			}
		}
		return true
	})
	return f.places, nil
}

var (
	limits  = regexp.MustCompile(`[<>]=? *[\w.]*([mM]ax|[lL]imit|most)|([mM]ax|[lL]imit|most)\w* *[<>]`)
	private = regexp.MustCompile(`^0o[67][04]0$`)
	flags   = regexp.MustCompile(`^O_(EXCL|NOFOLLOW|NONBLOCK|DIRECTORY)$`)
)

// finder collects the places of a file.
type finder struct {
	pkg, name string
	text      []byte
	file      *token.File
	places    []place
}

func (f *finder) source(n ast.Node) string {
	return string(f.text[f.file.Offset(n.Pos()):f.file.Offset(n.End())])
}

// add adds the place of a node, unless it has been found already.
func (f *finder) add(what string, n ast.Node, instead string) {
	at, old := f.file.Offset(n.Pos()), f.source(n)
	if slices.ContainsFunc(f.places, func(p place) bool { return p.at == at }) {
		return
	}
	f.places = append(f.places, place{pkg: f.pkg, path: path.Join(f.pkg, f.name), at: at, line: f.file.Line(n.Pos()),
		change: change{promise: what + ": " + strings.Join(strings.Fields(old), " "), old: old, new: instead}})
}

// never has a condition be never true.
func (f *finder) never(n *ast.IfStmt) {
	f.add("a condition that is never true", n.Cond, "false && ("+f.source(n.Cond)+")")
}

// refusals finds the conditions under which a function makes an error.
func (f *finder) refusals(typ *ast.FuncType, body *ast.BlockStmt) {
	if body == nil || typ.Results == nil || f.source(typ.Results.List[len(typ.Results.List)-1].Type) != "error" {
		return
	}
	ast.Inspect(body, func(n ast.Node) bool {
		branch, ok := n.(*ast.IfStmt)
		if _, inner := n.(*ast.FuncLit); inner || !ok {
			return !inner
		}
		last, ok := branch.Body.List[max(0, len(branch.Body.List)-1)].(*ast.ReturnStmt)
		if ok && len(last.Results) > 0 && f.source(last.Results[len(last.Results)-1]) != "nil" &&
			!strings.HasPrefix(f.source(branch.Cond), "err != nil") {
			f.never(branch)
		}
		return true
	})
}

// call finds what flushes, and what has a deadline.
func (f *finder) call(n *ast.CallExpr) {
	name := f.source(n.Fun)
	switch name = name[strings.LastIndex(name, ".")+1:]; name {
	case "Sync", "Flush":
		f.add("nothing is flushed", n, "error(nil)")
	case "SetReadDeadline", "SetWriteDeadline", "SetDeadline":
		f.add("no deadline", n, "error(nil)")
	case "WithTimeout", "WithTimeoutCause":
		f.add("no deadline", n.Args[1], "1<<62")
	case "LimitReader", "MaxBytesReader":
		last := n.Args[len(n.Args)-1]
		f.add("no limit", last, "1<<62")
	}
}
