package main

import "github.com/spf13/pflag"

// similarFlag returns the flag that a misspelt name is nearest to, or nothing if none is near.
func similarFlag(flags *pflag.FlagSet, name string) string {
	best, least := "", min(3, len(name)/3+1)
	flags.VisitAll(func(f *pflag.Flag) {
		if d := editDistance(name, f.Name); d < least && !f.Hidden {
			best, least = f.Name, d
		}
	})
	return best
}

// editDistance counts the letters to insert, delete, replace or swap with their neighbour to make one word from
// another.
func editDistance(a, b string) int {
	var before, last []int // the two rows above
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
