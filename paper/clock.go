package paper

import (
	"cmp"
	"os"
	"strings"
	"time"
)

// instant is a point in time on two clocks: the wall clock, and the processor time of this process, which does not
// depend on other processes.
type instant struct {
	wall      time.Time
	processor float64 // seconds
}

// timing is how long something took, in seconds on both clocks. Processor is 0 if it is not known.
type timing struct{ Elapsed, Processor float64 }

// seconds returns the processor time, or the time on the wall if that is not known.
func (t timing) seconds() float64 { return cmp.Or(t.Processor, t.Elapsed) }

// loadAverage returns the load average of the last minute, which includes this process, or "" if the system does not
// tell.
func loadAverage() string {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return ""
	}
	load, _, _ := strings.Cut(string(data), " ")
	return load
}

// now returns the present instant.
func now() instant { return instant{time.Now(), processorSeconds()} }

// until returns the time from m to end.
func (m instant) until(end instant) timing {
	return timing{end.wall.Sub(m.wall).Seconds(), end.processor - m.processor}
}
