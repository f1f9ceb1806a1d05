package compare

import (
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	goimage "image"
	"io"
	"strings"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/chart"
	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/display"
	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/markup"
	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/words"
	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
)

//go:embed page.css
var pageCSS string

//go:embed page.js
var pageJS string

// Setting is a line of the table of settings.
type Setting struct{ Name, Value string }

// Run is one image before and after denoising.
type Run struct {
	Name, Out string
	Before    *imageio.Image
	After     *imageio.Image
	Result    denoise.Result
	White     float64 // full scale of float files; 0 means 1
	Settings  []Setting
	Command   string
	Workers   int
}

// Sizes of the pictures of a page in pixels.
const (
	maxOverview     = 1600 // larger side of the whole picture
	maxSpot         = 320  // width of a crop; its height is 3/4 of it
	minSpot         = 160
	evalSpotWidth   = 256
	evalSpotHeight  = 192
	overviewQuality = 92
	evalQuality     = 95
)

// figure is pictures of the same place, of which the page shows two with a slider.
type figure struct {
	Name, Note    string
	Width, Height int // on the page, in CSS pixels
	Pictures      []markup.Raw
	Labels        []string
}

// Write writes the page of one run.
func (r Run) Write(w io.Writer) error {
	b, a := r.Before, r.After
	if b.Width != a.Width || b.Height != a.Height || len(b.Planes) != len(a.Planes) {
		return errors.New("the images before and after differ in size or colours")
	}
	d := page{title: r.Name, labels: []string{"before", "after"}, settings: r.Settings, command: r.Command}
	shown := display.Of(b)
	out := markup.NewWriter(w)
	d.begin(out)
	out.Put("<p><b>%s</b> was removed. Written to %s.</p>\n", sentence(words.Of(r.Result)), r.Out)
	if text := shown.String(); text != "" {
		out.Put("<p class=\"soft\">%s</p>\n", text)
	}
	d.bar(out)
	if err := r.figures(out, d.labels, shown); err != nil {
		return err
	}
	out.Put(`<h2>The noise</h2>
<div class="charts">
<div>%s<p class="soft">Noise over brightness. Dots: the fine part of the noise, filled where the picture is flat. Line: the level that the models used.</p></div>
<div>%s<p class="soft">What was removed. The bars follow the line if only noise was removed.</p></div>
</div>
`, markup.Raw(chart.OfImage(b, r.Result, r.White, r.Workers).SVG()),
		markup.Raw(histogramOf(b, a, r.Result).SVG()))
	return d.end(out)
}

// figures writes the crops and the whole picture.
func (r Run) figures(w markup.Writer, labels []string, shown display.Range) error {
	a, images := r.After, []*imageio.Image{r.Before, r.After}
	w.Put("<h2>Crops that the program chose</h2>\n<div class=\"spots\">\n")
	width := min(maxSpot, max(minSpot, a.Width/2)) // small pictures have fewer crops, not tiny ones
	for _, s := range chooseSpots(r.Before, a, width, width*3/4) {
		note := fmt.Sprintf("%d × %d at column %d, row %d", s.Area.Dx(), s.Area.Dy(), s.Area.Min.X, s.Area.Min.Y)
		f, err := newFigure(s.Name, note, images, labels, shown, s.Area, s.Area.Size(), 0)
		if err != nil {
			return err
		}
		f.write(w, "spot")
	}
	step := (max(a.Width, a.Height) + maxOverview - 1) / maxOverview
	note := "at 100 %"
	if step > 1 {
		note = fmt.Sprintf("at %.0f %%", 100/float64(step))
	}
	f, err := newFigure("the whole picture", note, images, labels, shown, goimage.Rect(0, 0, a.Width, a.Height),
		goimage.Pt(max(1, a.Width/step), max(1, a.Height/step)), overviewQuality)
	if err != nil {
		return err
	}
	w.Put("</div>\n<h2>The picture</h2>\n")
	f.write(w, "scale")
	return nil
}

// newFigure takes a part of some images at a size. A quality makes the pictures JPEG files without chroma subsampling;
// 0 makes them PNG files.
func newFigure(name, note string, images []*imageio.Image, labels []string, shown display.Range,
	area goimage.Rectangle, size goimage.Point, quality int) (figure, error) {
	f := figure{Name: name, Note: note, Width: size.X, Height: size.Y, Labels: labels}
	o, kind := imageio.WriteOptions{Format: imageio.PNG}, "png"
	if quality > 0 {
		o = imageio.WriteOptions{Format: imageio.JPEG, Quality: quality, Subsampling: imageio.Subsampling444}
		kind = "jpeg"
	}
	for _, img := range images {
		data, err := display.Encode(display.Resized(shown.Picture(img, area), size.X, size.Y), o)
		if err != nil {
			return f, err
		}
		f.Pictures = append(f.Pictures,
			markup.Raw("data:image/"+kind+";base64,"+base64.StdEncoding.EncodeToString(data)))
	}
	return f, nil
}

// sentence begins a text with a capital letter.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// histogramOf counts what was removed from the brightness.
func histogramOf(before, after *imageio.Image, r denoise.Result) *chart.Histogram {
	rms := 0.0
	each := func(add func(float64)) {
		for i := range before.Planes[0] {
			sum := 0.0
			for c, p := range before.Planes {
				sum += float64(p[i] - after.Planes[c][i])
			}
			add(255 * sum / float64(len(before.Planes)))
		}
	}
	each(func(v float64) { rms += v * v })
	h := chart.NewHistogram(rootMean(rms, len(before.Planes[0])))
	if before.Depth == imageio.Depth8 && after.Depth == imageio.Depth8 {
		h.Quantum(1 / float64(len(before.Planes)))
	}
	each(h.Add)
	return h
}
