package batch

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
)

// Sequences sorts jobs into sequences: files of one folder and one size whose names differ in a number alone, which
// rises by one from file to file, such as frame8.png, frame9.png, frame10.png. Each job is in one of them. They are in
// the order of the first file that was found.
func Sequences(jobs []Job) (all [][]Job) {
	type member struct {
		Job
		numbered
		found int
	}
	members := make([]member, len(jobs))
	for i, j := range jobs {
		members[i] = member{j, numberOf(j.Path), i}
	}
	slices.SortStableFunc(members, func(a, b member) int {
		return cmp.Or(cmp.Compare(a.before, b.before), cmp.Compare(a.after, b.after), a.compare(b.numbered))
	})
	type sequence struct {
		jobs  []Job
		found int
	}
	var list []sequence
	for i, m := range members {
		if i > 0 && members[i-1].follows(m.numbered) && sameSize(members[i-1].Size, m.Size) {
			s := &list[len(list)-1]
			s.jobs, s.found = append(s.jobs, m.Job), min(s.found, m.found)
			continue
		}
		list = append(list, sequence{[]Job{m.Job}, m.found})
	}
	slices.SortStableFunc(list, func(a, b sequence) int { return cmp.Compare(a.found, b.found) })
	for _, s := range list {
		all = append(all, s.jobs)
	}
	return all
}

func sameSize(a, b Size) bool { return a.Width == b.Width && a.Height == b.Height && a.Width > 0 }

// numbered is a path with the last number of its name: what comes before and after it, and its digits without leading
// zeros.
type numbered struct{ before, digits, after string }

func numberOf(path string) numbered {
	dir, name := filepath.Split(path)
	end := len(strings.TrimSuffix(name, filepath.Ext(name)))
	for end > 0 && !isDigit(name[end-1]) {
		end--
	}
	from := end
	for from > 0 && isDigit(name[from-1]) {
		from--
	}
	return numbered{dir + name[:from], strings.TrimLeft(name[from:end], "0"), name[end:]}
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// compare orders numbers of any length.
func (a numbered) compare(b numbered) int {
	return cmp.Or(cmp.Compare(len(a.digits), len(b.digits)), cmp.Compare(a.digits, b.digits))
}

// follows reports whether the number of b is that of a and one more.
func (a numbered) follows(b numbered) bool {
	return a.before == b.before && a.after == b.after && next(a.digits) == b.digits && b.digits != ""
}

// next returns a decimal number and one more.
func next(digits string) string {
	d := []byte(digits)
	for i := len(d) - 1; i >= 0; i-- {
		if d[i]++; d[i] <= '9' {
			return string(d)
		}
		d[i] = '0'
	}
	return "1" + string(d)
}
