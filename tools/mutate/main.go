// Command mutate finds promises whose tests cannot fail. It breaks the code that keeps a promise, one place of its list
// at a time, and runs the test that is to notice. A test that passes nevertheless is no test of that promise.
//
//	go -C tools run ./mutate               all places
//	go -C tools run ./mutate -only watch   places whose file, promise or test match
//	go -C tools run ./mutate -list         prints the places
//	go -C tools run ./mutate -found 30     30 places that it finds itself, drawn by -seed, each with all tests of its package
//
// A test that runs with broken code may do harm where the code was to prevent it, so it must touch nothing but its own
// folders. The tree is left alone: the compiler gets the changed file in the place of the old one (go test -overlay).
// The exit code is 1 if a place of the list survives that the list does not explain, or if the list does not fit the
// code any more. Of places that it finds, some of which do not compile, it reports the share that survives.
package main

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// place is a place of the code that keeps a promise.
type place struct {
	change
	path string // of its file, from the root of the module
	pkg  string // whose tests are run

	at, line int // where the text is, of a place that was found
}

func (p place) String() string {
	if p.line > 0 {
		return fmt.Sprintf("%s:%d: %s", p.path, p.line, p.promise)
	}
	return fmt.Sprintf("%s: %s", p.path, p.promise)
}

// patience is how long the tests of a place may take. A test that hangs has noticed.
func (p place) patience() string {
	if p.test == "" {
		return "5m"
	}
	return "1m"
}

func main() {
	only := flag.String("only", "", "regular `EXPRESSION` of files, promises or tests")
	list := flag.Bool("list", false, "print the places, and run nothing")
	most := flag.Int("found", 0, "try `N` places that are found in the code, in place of those of the list")
	seed := flag.Uint64("seed", 1, "`NUMBER` that decides which of them")
	flag.Parse()
	filter, err := regexp.Compile(*only)
	if err != nil || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "mutate: wrong arguments:", err, flag.Args())
		os.Exit(2)
	}
	root, err := moduleRoot()
	all := places
	if *most > 0 && err == nil {
		all, err = find(root)
		rand.New(rand.NewPCG(*seed, 0)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
	var chosen []place
	for _, p := range all {
		if filter.MatchString(p.String() + " " + p.test) {
			chosen = append(chosen, p)
		}
	}
	if *list {
		for _, p := range chosen {
			fmt.Printf("%s\n\t%s %s\n", p, p.pkg, p.test)
		}
		return
	}
	if err := run(root, chosen, cmp.Or(*most, len(chosen))); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

// run tries places until so many have compiled, and prints what came of each.
func run(root string, chosen []place, most int) error {
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	r := runner{root: root, dir: dir, sound: map[string]error{}}
	counts, wrong := map[verdict]int{}, 0
	for _, p := range chosen {
		if counts[killed]+counts[survived] == most {
			break
		}
		start := time.Now()
		v, why := r.try(p)
		counts[v]++
		if v == survived {
			why = explained(p.promise)
		}
		if p.line == 0 && (v == broken || v == survived && why == "") {
			wrong++
		}
		fmt.Printf("%-8s %5.1f s  %s%s\n", v, time.Since(start).Seconds(), p, ifAny(why))
	}
	fmt.Printf("%d of %d places: %d killed, %d survive, %d do not fit the code\n",
		counts[killed]+counts[survived]+counts[broken], len(chosen), counts[killed], counts[survived], counts[broken])
	if wrong > 0 {
		return fmt.Errorf("%d places need a test or an explanation", wrong)
	}
	return nil
}

func ifAny(why string) string {
	if why == "" {
		return ""
	}
	return "\n         " + strings.ReplaceAll(strings.TrimSpace(why), "\n", "\n         ")
}

// verdict is what came of a place.
type verdict string

const (
	killed   verdict = "killed"
	survived verdict = "SURVIVES"
	broken   verdict = "BROKEN"
)

// runner runs tests.
type runner struct {
	root, dir string
	sound     map[string]error // of tests without a change
}

// try changes a place and runs its test, after the test without the change.
func (r *runner) try(p place) (verdict, string) {
	overlay, err := r.overlay(p)
	if err != nil {
		return broken, err.Error()
	}
	key := p.pkg + " " + p.test
	if _, ok := r.sound[key]; !ok {
		r.sound[key] = r.passes(p)
	}
	if err := r.sound[key]; err != nil {
		return broken, "the test fails without the change: " + err.Error()
	}
	out, err := r.test(p, overlay)
	switch {
	case err == nil:
		return survived, ""
	case strings.Contains(out, "[build failed]") || strings.Contains(out, "[setup failed]"):
		return broken, "it does not compile:\n" + shortened(out)
	}
	return killed, ""
}

// passes runs a test without any change. It must be there, and must not be skipped.
func (r *runner) passes(p place) error {
	program, err := r.program(p.pkg)
	if err != nil {
		return err
	}
	cmd := exec.Command(program, "-test.v", "-test.count=1", "-test.timeout", p.patience(), "-test.run", p.test)
	cmd.Dir = filepath.Join(r.root, filepath.FromSlash(p.pkg))
	text, err := cmd.CombinedOutput()
	out := string(text)
	switch {
	case err != nil:
		return fmt.Errorf("%w\n%s", err, shortened(out))
	case p.test != "" && strings.Contains(out, "--- SKIP"):
		return fmt.Errorf("it is skipped")
	case !strings.Contains(out, "--- PASS"):
		return fmt.Errorf("there is no such test")
	}
	return nil
}

// program returns the tests of a package without any change.
func (r *runner) program(pkg string) (string, error) {
	path := filepath.Join(r.dir, strings.ReplaceAll(pkg, "/", "-")+".test")
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	cmd := exec.Command("go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-o", path, "./"+pkg)
	cmd.Dir = r.root
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, shortened(string(out)))
	}
	return path, nil
}

// test runs the test of a place with the changed file.
func (r *runner) test(p place, overlay string) (string, error) {
	cmd := exec.Command("go", "test", "-count=1", "-failfast", "-vet=off", "-ldflags=-s -w", "-timeout", p.patience(),
		"-run", p.test, "-overlay", overlay, "./"+p.pkg)
	cmd.Dir = r.root
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// overlay writes the changed file and the list that tells the compiler of it.
func (r *runner) overlay(p place) (string, error) {
	path := filepath.Join(r.root, filepath.FromSlash(p.path))
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	before, after, _ := strings.Cut(string(text), p.old)
	switch n := strings.Count(string(text), p.old); {
	case p.line > 0:
		before, after = string(text[:p.at]), string(text[p.at+len(p.old):])
	case n != 1:
		return "", fmt.Errorf("%q is %d times in the file", p.old, n)
	}
	changed := filepath.Join(r.dir, "changed.go")
	if err := os.WriteFile(changed, []byte(before+p.new+after), 0o666); err != nil {
		return "", err
	}
	list, err := json.Marshal(map[string]map[string]string{"Replace": {path: changed}})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(r.dir, "overlay.json")
	return overlay, os.WriteFile(overlay, list, 0o666)
}

func shortened(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[:min(len(lines), 12)], "\n")
}

// moduleRoot is the folder of the module of the program, whichever module the command is run in.
func moduleRoot() (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/blorc-denoise/blorc-denoise").Output()
	return strings.TrimSpace(string(out)), err
}
