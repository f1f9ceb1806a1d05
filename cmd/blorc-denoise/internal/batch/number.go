package batch

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// ParseNumber reads a number of bytes, pixels or the like: 2000000, 500k, 1.5M, 2Gi. The suffixes k, M, G and T are
// powers of 1000, and Ki, Mi, Gi and Ti powers of 1024, in upper or lower case. The unit may follow: 2 GB and 2GiB with
// the unit "B".
func ParseNumber(text, unit string) (int64, error) {
	t := strings.ToLower(strings.TrimSpace(text))
	t = strings.TrimSuffix(t, strings.ToLower(unit))
	base := 1000.0
	if short, ok := strings.CutSuffix(t, "i"); ok {
		t, base = short, 1024
	}
	number := strings.TrimRight(t, "kmgt")
	power := strings.Index("kmgt", t[len(number):]) + 1
	switch len(t) - len(number) {
	case 0:
		power = 0
		if base == 1024 { // an i without a letter before it
			return 0, badNumber(text)
		}
	case 1:
	default:
		return 0, badNumber(text)
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	v *= math.Pow(base, float64(power))
	if err != nil || !(v >= 1) || v >= math.MaxInt64 {
		return 0, badNumber(text)
	}
	return int64(v), nil
}

func badNumber(text string) error {
	return fmt.Errorf("%q is not a positive number such as 500000, 500k, 2M or 1.5Gi", text)
}
