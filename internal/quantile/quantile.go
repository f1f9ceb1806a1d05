// Package quantile finds the value that a share of values has at most.
//
// It is here beside that of gonum because results depend on the definition: the median of an even number of values is
// the larger of the two in the middle.
package quantile

// Of returns the value that a share of values has at most: the first of them after as many as the share, rounded down.
// It returns 0 without values. It changes their order, as the quickselect of C. A. R. Hoare does.
func Of[T float32 | float64](values []T, share float64) T {
	if len(values) == 0 {
		return 0
	}
	want := min(int(share*float64(len(values))), len(values)-1)
	low, high := 0, len(values)-1
	for low < high {
		middle := values[(low+high)/2]
		i, j := low, high
		for i <= j {
			for values[i] < middle {
				i++
			}
			for values[j] > middle {
				j--
			}
			if i <= j {
				values[i], values[j] = values[j], values[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case want <= j:
			high = j
		case want >= i:
			low = i
		default:
			return values[want]
		}
	}
	return values[want]
}

// Median returns the value in the middle, or 0 without values. It changes their order.
func Median[T float32 | float64](values []T) T { return Of(values, 0.5) }

// Between interpolates between the two sorted values that are nearest to a share of the way from first to last.
func Between[T float32 | float64](sorted []T, share float64) float64 {
	position := share * float64(len(sorted)-1)
	at := int(position)
	low := float64(sorted[at])
	if at+1 < len(sorted) {
		low += (position - float64(at)) * (float64(sorted[at+1]) - low)
	}
	return low
}
