// Train makes the networks of package level. It has these commands, which are run one after the other:
//
//	train -data DIR curves         draw noisy pictures and measure which level the denoiser should have been told for each
//	train -data DIR fit            fit networks to the curves, and to second looks if there are any, and write them
//	train -data DIR looks          look at the pictures for the second time, with the levels of the networks
//	train -data DIR report-curves  measure the curves of pictures that nothing is trained on
//	train -data DIR report         print what the networks gain on those
//	train -data DIR cameras        fit again without each camera of polyu, and print what its pictures gain
//
// and these, which make the models that refine pictures with broad noise:
//
//	train -data DIR broad-pictures  denoise pictures that have curves
//	train -data DIR broad           train the models on them
//
// The curves take hours. They are kept in a file, so that a run which was stopped can be continued.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/internal/level"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "train:", err)
		os.Exit(1)
	}
}

// job holds the flags.
type job struct {
	data, curves, features, looks, networks, reportCurves string
	older                                                 string
	pictures, models                                      string
	count, every, workers, steps                          int
	final, detail, white, fast, photographs               bool
	plan                                                  plan
}

func run() error {
	j := job{plan: settings}
	flag.StringVar(&j.data, "data", "", "folder with cbsd432, urban100, bsd400 and polyu; for reports also kodak24, set12 and cc5d3")
	flag.StringVar(&j.curves, "curves", "level-curves.jsonl", "file of measured curves")
	flag.StringVar(&j.older, "older", "", "file of curves of an older denoiser: only levels around its best ones are measured")
	flag.StringVar(&j.features, "features", "level-features.gob", "file that keeps the statistics of pictures; remove it after changes to them")
	flag.StringVar(&j.looks, "looks", "level-looks.gob", "file that keeps the statistics of second looks")
	flag.StringVar(&j.networks, "networks", "internal/level/level.bin", "file of networks")
	flag.StringVar(&j.reportCurves, "report-curves", "level-report.jsonl", "file of measured curves for reports")
	flag.IntVar(&j.count, "count", 2*bankSize, "number of pictures with simulated noise; those with real noise come on top")
	flag.IntVar(&j.every, "every", 4, "for reports with simulated noise, take every so many-th Kodak picture")
	flag.IntVar(&j.workers, "workers", 1, "pictures that are measured at a time; 0 means one for each processor")
	flag.BoolVar(&j.final, "final", false, "fit to all files; without it, one in six is kept aside to see how well it goes")
	flag.BoolVar(&j.detail, "detail", false, "report every file")
	flag.BoolVar(&j.fast, "fast", false, "measure curves for reports at quality fast, in a fifth of the time")
	flag.BoolVar(&j.photographs, "photographs", false, "train with clean photographs of cameras as well, the PNG files of the folder photographs: for clean.bin")
	flag.BoolVar(&j.white, "white", false, "report on white noise too")
	flag.StringVar(&j.pictures, "pictures", "broad-pictures.gob", "file of denoised pictures, some gigabytes")
	flag.StringVar(&j.models, "models", "models", "folder for the models that refine pictures with broad noise")
	flag.IntVar(&j.steps, "steps", 8_000, "steps of the training of each of those, at each size")
	flag.Parse()
	g := &generator{folder: j.data}
	switch flag.Arg(0) {
	case "curves":
		return j.measure(g)
	case "fit":
		return j.fit(g)
	case "looks":
		return j.measureLooks(g)
	case "show":
		return j.show(g, flag.Arg(1))
	case "report-curves":
		d := newDenoiser(j.reportQuality())
		sets := append(reportSets(j.data, j.every), realSet(find(j.data, "polyu/*_real.JPG"))) // the latter for cameras
		return measureSets(j.reportCurves, g, sets, d, j.workers, os.Stderr)
	case "report":
		return j.report(g)
	case "cameras":
		return j.cameras(g)
	case "broad-pictures":
		return j.broadPictures(g)
	case "broad":
		return j.trainBroad()
	}
	return errors.New("say one of curves, fit, looks, report-curves, report, cameras, broad-pictures, broad, or show FOLDER")
}

func (j job) measure(g *generator) error {
	all, err := recipes(j.data, j.count, j.photographs)
	if err != nil {
		return err
	}
	// The best level is about the same at all qualities: that of fast is 5 % higher than that of balanced on average, and
	// costs 0.04 dB there. It takes a fifth of the time.
	d := newDenoiser(denoise.Fast)
	seen, err := openAlbum(j.features)
	if err != nil {
		return err
	}
	older, err := readCurves(j.older)
	if err != nil {
		return err
	}
	worth := func(name string) []float64 {
		if c, ok := older[name]; ok {
			return c.around()
		}
		return coarse
	}
	err = appendCurves(j.curves, g, all, d, worth, seen, j.workers, func(done int) {
		if done%20 == 0 {
			fmt.Fprintf(os.Stderr, "%d of %d\n", done, len(all))
		}
	})
	return errors.Join(err, seen.save())
}

// show saves training pictures, to be looked at.
func (j job) show(g *generator, folder string) error {
	all, err := recipes(j.data, j.count, j.photographs)
	if err != nil {
		return err
	}
	for i, r := range all[:min(j.count, len(all))] {
		p, err := g.make(r)
		if err != nil {
			return err
		}
		name := filepath.Join(folder, fmt.Sprintf("%03d-%s", i, r.Kind))
		if err := errors.Join(save(p.noisy, name+"-noisy.png"), save(p.clean, name+"-clean.png")); err != nil {
			return err
		}
	}
	return nil
}

// samples reads all pictures that have curves: what networks for the first look are fitted to, and those for the second.
func (j job) samples(g *generator) (first, second []sample, err error) {
	all, err := recipes(j.data, j.count, j.photographs)
	if err != nil {
		return nil, nil, err
	}
	curves, err := readCurves(j.curves)
	if err != nil {
		return nil, nil, err
	}
	seen, err := openAlbum(j.features)
	if err != nil {
		return nil, nil, err
	}
	if err := seen.fill(g, all, curves); err != nil {
		return nil, nil, err
	}
	looks, err := readLooks(j.looks)
	return gather(all, curves, seen.shown), gatherSecond(all, curves, seen.shown, looks), err
}

// cameras leaves out one camera after the other.
func (j job) cameras(g *generator) error {
	first, second, err := j.samples(g)
	if err != nil {
		return err
	}
	curves, err := readCurves(j.reportCurves)
	if err != nil {
		return err
	}
	return j.printCameras(os.Stdout, g, first, second, curves)
}

// fit trains networks for gray pictures and for colour, and writes them.
func (j job) fit(g *generator) error {
	first, second, err := j.samples(g)
	if err != nil {
		return err
	}
	samples := append(first, second...)
	var networks []*level.Network
	for _, inputs := range lengths(samples) {
		var learn, aside []sample
		for _, s := range samples {
			switch {
			case len(s.inputs[0]) != inputs:
			case s.aside() && !j.final:
				aside = append(aside, s)
			default:
				learn = append(learn, s)
			}
		}
		n := j.plan.fit(learn)
		fmt.Printf("%d inputs, trained on:\n", inputs)
		printLosses(os.Stdout, n, learn)
		if len(aside) > 0 {
			fmt.Println("kept aside:")
			printLosses(os.Stdout, n, aside)
		}
		networks = append(networks, n)
	}
	var b bytes.Buffer
	if err := level.WriteNetworks(&b, "go run ./internal/level/train -data DATA -final fit", networks...); err != nil {
		return err
	}
	return os.WriteFile(j.networks, b.Bytes(), 0o666)
}

func readNetworks(file string) ([]*level.Network, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return level.ReadNetworks(b)
}

// lengths are the numbers of inputs that occur: of gray pictures and of colour.
func lengths(samples []sample) (n []int) {
	for _, s := range samples {
		n = append(n, len(s.inputs[0]))
	}
	slices.Sort(n)
	return slices.Compact(n)
}

func (j job) reportQuality() denoise.Quality {
	if j.fast {
		return denoise.Fast
	}
	return denoise.Balanced
}

func (j job) report(g *generator) error {
	networks, err := readNetworks(j.networks)
	if err != nil {
		return err
	}
	curves, err := readCurves(j.reportCurves)
	if err != nil {
		return err
	}
	if err := printGains(os.Stdout, g, reportSets(j.data, j.every), curves, networks, j.detail); err != nil || !j.white {
		return err
	}
	d := newDenoiser(j.reportQuality())
	return printWhite(os.Stdout, g, whiteSets(j.data, j.every), d.forWhite(), networks)
}
