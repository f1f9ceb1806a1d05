package paper

import (
	"cmp"
	"os"
	"strings"
	"time"
)

// moment is a point of both clocks: that on the wall, and that of the processor time of this process, which other
// processes do not change.
type moment struct {
	wall      time.Time
	processor float64
}

// taken is how long something took, in seconds.
type taken struct{ Elapsed, Processor float64 }

// processor is the processor time, or if it is not known the time on the wall.
func (t taken) processor() float64 { return cmp.Or(t.Processor, t.Elapsed) }

// loadAverage is that of the last minute, with this process in it; "" where the system does not say.
func loadAverage() string {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return ""
	}
	load, _, _ := strings.Cut(string(data), " ")
	return load
}

func now() moment { return moment{time.Now(), processorSeconds()} }

func (m moment) until(end moment) taken {
	return taken{end.wall.Sub(m.wall).Seconds(), end.processor - m.processor}
}
