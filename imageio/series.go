package imageio

import (
	"regexp"
	"strconv"
	"strings"
)

// Series is a list of pages of a file that follow each other in time, or else in depth. They show one channel.
type Series struct {
	Pages []int // numbers of the pages, in order
	Sure  bool  // the file says so; else these are all its pages, whatever they show
	Time  bool  // the file says that they follow each other in time
}

// Series returns the series of a file. Each page is in one of them. They follow from the numbers that ImageJ and
// OME-XML give for channels, slices and frames. A file without these, or with others than it has pages, is one series.
func (r *Reader) Series() []Series {
	if r.tiff != nil && r.tiff.series != nil {
		return r.tiff.series
	}
	all := make([]int, r.Pages())
	for i := range all {
		all[i] = i
	}
	return []Series{{Pages: all}}
}

// axes are the lengths of a stack in the order in which pages follow, the fastest first.
type axes struct {
	names   string // of C, Z and T
	lengths [3]int
}

// seriesOf returns the series of a stack with a description, or nil if that says nothing about so many pages.
func seriesOf(description string, pages int) []Series {
	a, ok := axesOf(description)
	if !ok || a.lengths[0]*a.lengths[1]*a.lengths[2] != pages {
		return nil
	}
	along := strings.IndexByte(a.names, 'T')
	if a.lengths[along] == 1 {
		along = strings.IndexByte(a.names, 'Z')
	}
	steps := [3]int{1, a.lengths[0], a.lengths[0] * a.lengths[1]}
	var all []Series
	for page := range pages {
		if page/steps[along]%a.lengths[along] > 0 {
			continue
		}
		s := Series{Sure: true, Time: a.names[along] == 'T'}
		for i := range a.lengths[along] {
			s.Pages = append(s.Pages, page+i*steps[along])
		}
		all = append(all, s)
	}
	return all
}

// maxAxis is longer than any axis of a file.
const maxAxis = 1 << 30

func axesOf(description string) (axes, bool) {
	if strings.HasPrefix(description, "ImageJ=") {
		a := axes{names: "CZT", lengths: [3]int{1, 1, 1}}
		for i, key := range []string{"channels=", "slices=", "frames="} {
			for _, line := range strings.Split(description, "\n") {
				if v, found := strings.CutPrefix(line, key); found {
					a.lengths[i] = axisLength(strings.TrimRight(v, "\x00\r "))
				}
			}
		}
		return a, a.valid()
	}
	pixels := omePixels.FindString(description)
	order := omeOrder.FindStringSubmatch(pixels)
	if order == nil {
		return axes{}, false
	}
	a := axes{names: order[1]}
	for i := range a.names {
		a.lengths[i] = 1
		for _, size := range omeAxis.FindAllStringSubmatch(pixels, -1) {
			if size[1] == a.names[i:i+1] {
				a.lengths[i] = axisLength(size[2])
			}
		}
	}
	return a, a.valid()
}

var (
	omeOrder = regexp.MustCompile(`\sDimensionOrder\s*=\s*["']XY([CZT]{3})["']`)
	omeAxis  = regexp.MustCompile(`\sSize([CZT])\s*=\s*["'](\d+)["']`)
)

// axisLength returns a length that valid refuses if the text is none.
func axisLength(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

// valid reports whether each of C, Z and T has a length, and their product is one of a file.
func (a axes) valid() bool {
	product := 1
	for i, n := range a.lengths {
		if strings.Count(a.names, a.names[i:i+1]) != 1 || n < 1 || product > maxAxis/n {
			return false
		}
		product *= n
	}
	return true
}
