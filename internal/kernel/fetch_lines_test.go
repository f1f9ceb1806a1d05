package kernel

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// What Fetch asks for changes no register and no memory, so no test that calls it could see whether it asks for the
// right values. These tests follow the instructions of the assembly instead, also of that which this processor does not
// run.

// fetched returns the lines of 64 bytes that hold the first n of every stride values of rows, from an address on: what
// Fetch is to ask for.
func fetched(start, rows, n, stride int) map[int]bool {
	lines := map[int]bool{}
	for r := range rows {
		for i := range n {
			lines[(start+4*(r*stride+i))/64] = true
		}
	}
	return lines
}

func TestFetchAsksForTheLinesOfValues(t *testing.T) {
	for file, name := range map[string]string{"avx2_amd64.s": "fetchAVX2", "avx512_amd64.s": "fetchAVX512",
		"neon_arm64.s": "fetchNEON"} {
		code := assemblyOf(t, file, name)
		for _, rows := range []int{1, 2, 7} {
			for n := 1; n <= Lanes; n++ {
				for _, stride := range []int{Lanes, 50, 1000} {
					for start := 1 << 20; start < 1<<20+64; start += 4 {
						asked := map[int]bool{}
						for _, at := range run(t, code, map[string]int{"v_base": start, "rows": rows, "n": n,
							"stride": stride}) {
							if i := (at - start) / 4; i < 0 || i/stride >= rows || i%stride >= n {
								t.Fatalf("%s: %d of %d rows of distance %d: asks for value %d", name, n, rows, stride,
									i)
							}
							asked[at/64] = true
						}
						if want := fetched(start, rows, n, stride); !maps.Equal(asked, want) {
							t.Fatalf("%s: %d of %d rows of distance %d from %d on: asks for lines %v, not %v", name, n,
								rows, stride, start,
								slices.Sorted(maps.Keys(asked)), slices.Sorted(maps.Keys(want)))
						}
					}
				}
			}
		}
	}
}

// assemblyOf returns the lines of a function.
func assemblyOf(t *testing.T, file, name string) []string {
	t.Helper()
	text := must.Get(os.ReadFile(file))(t)
	_, code, ok := strings.Cut(string(text), "TEXT ·"+name+"(SB)")
	if !ok {
		t.Fatalf("%s has no function %s", file, name)
	}
	var lines []string
	for line := range strings.Lines(code) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
		if line == "RET" {
			break
		}
	}
	return lines[1:] // the first is the rest of the declaration
}

var (
	argument = regexp.MustCompile(`^(\w+)\+\d+\(FP\)$`)
	place    = regexp.MustCompile(`^(-?\d*)\((\w+)\)(?:\((\w+)\*1\))?$`)
)

// run follows code that has only the instructions of fetch, and returns the addresses that it asks for.
func run(t *testing.T, code []string, arguments map[string]int) (asked []int) {
	t.Helper()
	registers, flags := map[string]int{}, 0
	value := func(s string) int {
		if m := argument.FindStringSubmatch(s); m != nil {
			v, ok := arguments[m[1]]
			if !ok {
				t.Fatalf("there is no argument %s", s)
			}
			return v
		}
		if number, ok := strings.CutPrefix(s, "$"); ok {
			v := must.Get(strconv.ParseInt(number, 0, 64))(t)
			return int(v)
		}
		if r, shift, ok := strings.Cut(s, "<<"); ok {
			by := must.Get(strconv.Atoi(shift))(t)
			return registers[r] << by
		}
		return registers[s]
	}
	for i, steps := 0, 0; code[i] != "RET"; i++ {
		if steps++; steps > 1e5 {
			t.Fatal("the code does not end")
		}
		op, rest, _ := strings.Cut(code[i], " ")
		var x []string
		for s := range strings.SplitSeq(rest, ",") {
			x = append(x, strings.TrimSpace(s))
		}
		last := x[len(x)-1]
		jump := func(taken bool) {
			if taken {
				i = slices.Index(code, last+":")
			}
		}
		switch op {
		case "MOVQ", "MOVD":
			registers[last] = value(x[0])
		case "XORQ":
			registers[last] ^= value(x[0])
		case "SHLQ", "LSL":
			registers[last] <<= value(x[0])
		case "ADDQ", "ADD":
			second := last // ADD a, b adds a to b
			if len(x) == 3 {
				second = x[1]
			}
			registers[last] = value(x[0]) + value(second)
		case "SUB", "SUBS":
			registers[last] -= value(x[0])
			flags = registers[last]
		case "DECQ":
			registers[last]--
			flags = registers[last]
		case "CMPQ":
			flags = value(x[0]) - value(x[1])
		case "CMP":
			flags = value(x[1]) - value(x[0])
		case "JL":
			jump(flags < 0)
		case "BLS":
			jump(flags <= 0)
		case "JNZ", "BNE":
			jump(flags != 0)
		case "PREFETCHT0", "PRFM":
			m := place.FindStringSubmatch(x[0])
			if m == nil {
				t.Fatalf("no place: %s", x[0])
			}
			offset, _ := strconv.Atoi(m[1])
			asked = append(asked, offset+registers[m[2]]+registers[m[3]])
		default:
			if !strings.HasSuffix(op, ":") {
				t.Fatalf("unknown instruction %q", code[i])
			}
		}
	}
	return asked
}
