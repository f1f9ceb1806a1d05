package kernel

// NewPanels returns zeroed panels with the given numbers of rows. Panels used together in a computation should come
// from one call, because each then starts at a different offset within a memory page. With equal offsets, the same row
// of all panels would compete for the same few lines of the first-level cache, and loads would wait for stores to other
// panels.
func NewPanels(rows ...int) [][]float32 {
	const page, shift = 4096 / 4, 640 / 4
	starts, end := make([]int, len(rows)), 0
	for i, r := range rows {
		starts[i] = (end+page-1)/page*page + i*shift%page
		end = starts[i] + r*Lanes
	}
	memory := make([]float32, end)
	panels := make([][]float32, len(rows))
	for i, r := range rows {
		end := starts[i] + r*Lanes
		panels[i] = memory[starts[i]:end:end]
	}
	return panels
}
