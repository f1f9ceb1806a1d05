package chart

// look is the size of a chart and of what stands around the area for the points, in the unit of the SVG.
type look struct {
	width, height            float64
	left, right, top, bottom float64 // beside the area for the points
	ticks                    [2]int  // about how many, along X and Y
	letters                  float64 // size
	under                    float64 // from the axis of X to the foot of its numbers
	foot                     float64 // from the foot of the label of X to the end
	disc                     float64 // radius of a large dot
	tight                    bool    // the axes do not go on to a round number
}

var (
	// onFile is a chart that stands alone.
	onFile = look{width: 720, height: 480, left: 78, right: 20, top: 44, bottom: 56, ticks: [2]int{8, 6},
		letters: textSize, under: 18, foot: 14, disc: 4}
	// onPage is a chart in a page, whose style sheet sets the sizes of letters and lines too.
	onPage = look{width: 300, height: 160, left: 38, right: 8, top: 8, bottom: 30, ticks: [2]int{5, 4},
		letters: 10, under: 12, foot: 4, disc: 2.4, tight: true}
)
