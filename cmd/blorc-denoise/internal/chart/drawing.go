package chart

// drawing is a chart on paper.
type drawing struct {
	paper
	look
	x, y axis
}

// at returns the place of a point.
func (d *drawing) at(p Point) Point {
	return Point{d.left + d.x.share(p.X)*(d.width-d.left-d.right),
		d.height - d.bottom - d.y.share(p.Y)*(d.height-d.top-d.bottom)}
}

func (d *drawing) axes(x, y string) {
	origin, corner := Point{d.left, d.height - d.bottom}, Point{d.width - d.right, d.top}
	for _, v := range d.x.ticks() {
		at := d.at(Point{X: v}).X
		d.line(grid, thin, []Point{{at, corner.Y}, {at, origin.Y}})
		d.text(at, origin.Y+d.under, label{Text: d.x.text(v), Anchor: middle})
	}
	d.text((origin.X+corner.X)/2, d.height-d.foot, label{Text: x, Anchor: middle})
	if y != "" {
		for _, v := range d.y.ticks() {
			at := d.at(Point{Y: v}).Y
			d.line(grid, thin, []Point{{origin.X, at}, {corner.X, at}})
			d.text(origin.X-d.letters/2, at+d.letters/3, label{Text: d.y.text(v), Anchor: end})
		}
		d.line(ink, thin, []Point{{origin.X, corner.Y}, origin})
		d.text(d.left/4, (origin.Y+corner.Y)/2, label{Text: y, Anchor: middle, Upwards: true})
	}
	d.line(ink, thin, []Point{origin, {corner.X, origin.Y}})
}

func (d *drawing) series(s Series) {
	var points []Point
	for _, p := range s.finite() {
		if p.Y <= d.y.high || !s.dotted() {
			points = append(points, d.at(p))
		}
	}
	if len(points) == 0 {
		return
	}
	switch s.Mark {
	case Dots:
		d.discs(colour(s.Colour), 1.8, 0.45, points)
	case Discs:
		d.discs(colour(s.Colour), d.disc, 1, points)
	case Area:
		d.area(colour(s.Colour), points)
	default:
		d.line(colour(s.Colour), stroke{2, s.Mark == Dashes}, points)
	}
}

func (s Series) dotted() bool { return s.Mark == Dots || s.Mark == Discs }

// legend names the series.
func (d *drawing) legend(all []Series) {
	x, y := d.width-8, d.top+12
	for _, s := range all {
		if s.Name == "" {
			continue
		}
		if s.dotted() {
			d.discs(colour(s.Colour), map[Mark]float64{Dots: 2, Discs: d.disc}[s.Mark], 1, []Point{{x + 14, y - 4}})
		} else {
			d.line(colour(s.Colour), stroke{2, s.Mark == Dashes}, []Point{{x + 2, y - 4}, {x + 26, y - 4}})
		}
		d.text(x+34, y, label{Text: s.Name})
		y += 20
	}
}
