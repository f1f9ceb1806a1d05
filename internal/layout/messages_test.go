package layout

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// flagName is the name of a flag in a text.
var flagName = regexp.MustCompile(`(^|[\s(])--[a-z][a-z-]+`)

// A Go program that uses the packages has not the flags of the command. Its messages must not name them.
func TestMessagesOfPackagesNameNoFlags(t *testing.T) {
	out, err := exec.Command("go", "list", "-f",
		"{{$d := .Dir}}{{$p := .ImportPath}}{{range .GoFiles}}{{$p}}\t{{$d}}/{{.}}\n{{end}}", module+"...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		pkg, name, _ := strings.Cut(strings.TrimSpace(line), "\t")
		switch pkg = strings.TrimPrefix(pkg, module); {
		case pkg == "", pkg == "cmd/blorc-denoise/internal/batch": // the program's own
		case strings.HasPrefix(pkg, "cmd/"), strings.HasPrefix(pkg, "contrib/"):
		default:
			namesNoFlag(t, name)
		}
	}
}

func namesNoFlag(t *testing.T, name string) {
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, name, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
			if text, err := strconv.Unquote(l.Value); err == nil && flagName.MatchString(text) {
				t.Errorf("%s: a text names a flag: %s", files.Position(l.Pos()), l.Value)
			}
		}
		return true
	})
}
