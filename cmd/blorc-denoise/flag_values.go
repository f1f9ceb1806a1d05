package main

import (
	"errors"
	"fmt"
	"image"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/batch"
	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// value is a flag whose text becomes a T.
type value[T any] struct {
	to   *T
	kind string // what the help calls the text
	show func(T) string
	read func(text string) (T, error)
}

func (v value[T]) String() string { return v.show(*v.to) }
func (v value[T]) Type() string   { return v.kind }

func (v value[T]) Set(text string) error {
	got, err := v.read(text)
	if err == nil {
		*v.to = got
	}
	return err
}

func plain(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// choice takes one of several words, each of which has a value.
func choice[T comparable](to *T, kind string, words []string, values []T) pflag.Value {
	show := func(v T) string { return words[slices.Index(values, v)] }
	return value[T]{to, kind, show, func(text string) (v T, err error) {
		if i := slices.Index(words, text); i >= 0 {
			return values[i], nil
		}
		last := len(words) - 1
		return v, fmt.Errorf("must be %s or %s", strings.Join(words[:last], ", "), words[last])
	}}
}

// either takes one of two words, for false and for true.
func either(to *bool, kind, no, yes string) pflag.Value {
	return choice(to, kind, []string{no, yes}, []bool{false, true})
}

// parsePercent reads a number, or one before a percent sign as that share of whole.
func parsePercent(text string, whole float64) (float64, error) {
	number, percent := strings.CutSuffix(text, "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if percent {
		v = v * whole / 100
	}
	return v, err
}

// parseShare reads a share, such as 0.2 or 20%.
func parseShare(text, example string) (float64, error) {
	v, err := parsePercent(text, 1)
	if err != nil || !(v >= 0 && v <= 1) {
		return 0, errors.New("must be between 0 and 1; " + example)
	}
	return v, nil
}

// shareValue takes a share.
func shareValue(to *float64) pflag.Value {
	return value[float64]{to, "SHARE", plain,
		func(text string) (float64, error) { return parseShare(text, "0.2 is 20 %") }}
}

// strengthValue takes the share of the noise that is removed. What is kept of it is the value.
func strengthValue(keep *float64) pflag.Value {
	return value[float64]{keep, "SHARE", func(keep float64) string { return plain(1 - keep) },
		func(text string) (float64, error) {
			v, err := parseShare(text, "0.8 is 80 %")
			return 1 - v, err
		}}
}

// autoSigma asks for the noise level to be found in the image.
const autoSigma = -1

// sigmaKind is what the help calls a number of gray levels or "auto".
const sigmaKind = "LEVELS"

func sigmaValue(to *float64) pflag.Value { return value[float64]{to, sigmaKind, sigmaText, parseSigma} }

func sigmaText(v float64) string {
	if v < 0 {
		return "auto"
	}
	return plain(v)
}

func parseSigma(text string) (float64, error) {
	if text == "auto" {
		return autoSigma, nil
	}
	v, err := parsePercent(text, 255)
	if err != nil || !(v >= 0) || math.IsInf(v, 0) {
		return 0, errors.New("must be a number of gray levels (of 0-255) or auto")
	}
	return v, nil
}

// numberValue takes a number of bytes or pixels with a suffix, such as 2G. The unit may follow, such as B.
func numberValue(to *int64, unit string) pflag.Value {
	return value[int64]{to, "NUMBER", numberText,
		func(text string) (int64, error) { return batch.ParseNumber(text, unit) }}
}

// numberOrNoneValue is numberValue that takes 0 too.
func numberOrNoneValue(to *int64, unit string) pflag.Value {
	return value[int64]{to, "NUMBER", numberText, func(text string) (int64, error) {
		if text == "0" {
			return 0, nil
		}
		return batch.ParseNumber(text, unit)
	}}
}

func numberText(n int64) string {
	if n == 0 {
		return ""
	}
	for _, s := range []struct {
		suffix string
		size   int64
	}{{"Gi", 1 << 30}, {"G", 1e9}, {"Mi", 1 << 20}, {"M", 1e6}} {
		if n%s.size == 0 {
			return strconv.FormatInt(n/s.size, 10) + s.suffix
		}
	}
	return strconv.FormatInt(n, 10)
}

// noDataValue takes the levels of missing values, with commas between them. Each time that the flag is given adds some.
func noDataValue(to *[]float64) pflag.Value {
	show := func(levels []float64) string {
		var words []string
		for _, level := range levels {
			words = append(words, plain(level))
		}
		return strings.Join(words, ",")
	}
	return value[[]float64]{to, "LEVEL", show, func(text string) ([]float64, error) {
		levels := slices.Clone(*to)
		for word := range strings.SplitSeq(text, ",") {
			level, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
			if err != nil || math.IsNaN(level) || math.IsInf(level, 0) {
				return nil, errors.New("must be a number, or several with commas between them, such as -9999,0")
			}
			levels = append(levels, level)
		}
		return levels, nil
	}}
}

// cropValue takes a part of an image.
func cropValue(to *image.Rectangle) pflag.Value {
	show := func(r image.Rectangle) string {
		if r.Empty() {
			return ""
		}
		return fmt.Sprintf("%d,%d,%d,%d", r.Min.X, r.Min.Y, r.Dx(), r.Dy())
	}
	return value[image.Rectangle]{to, "X,Y,W,H", show, parseCrop}
}

func parseCrop(text string) (image.Rectangle, error) {
	const most = 1 << 30 // keeps sums from overflowing
	var v []int
	for word := range strings.SplitSeq(text, ",") {
		if n, err := strconv.Atoi(word); err == nil && n >= 0 && n <= most {
			v = append(v, n)
		}
	}
	if len(v) != 4 || strings.Count(text, ",") != 3 || v[2] == 0 || v[3] == 0 {
		return image.Rectangle{}, errors.New("must be X,Y,W,H: the left and upper edge, the width and the height in " +
			"pixels, such as 0,0,640,480")
	}
	return image.Rect(v[0], v[1], v[0]+v[2], v[1]+v[3]), nil
}

// formatValue takes a kind of file. 0 is none.
func formatValue(to *imageio.Format) pflag.Value {
	show := func(f imageio.Format) string {
		if f == 0 {
			return ""
		}
		return strings.ToLower(f.String())
	}
	return value[imageio.Format]{to, "KIND", show, func(text string) (imageio.Format, error) {
		f, ok := imageio.OutputFormatOf("." + text)
		if !ok {
			return 0, errors.New("must be png, tiff or jpeg")
		}
		return f, nil
	}}
}

// depthValue takes the depth of outputs. Zero stands for the depth of the input.
func depthValue(to *imageio.Depth) pflag.Value {
	words := map[imageio.Depth]string{0: "", imageio.Depth16: "16", imageio.DepthFloat32: "float"}
	show := func(d imageio.Depth) string { return words[d] }
	return value[imageio.Depth]{to, "DEPTH", show, func(text string) (imageio.Depth, error) {
		for d, word := range words {
			if text == word && d != 0 {
				return d, nil
			}
		}
		return 0, errors.New("must be 16 or float")
	}}
}

// shardValue takes a part of a batch. Nothing is no part: the variable of a script may be empty.
func shardValue(to *string) pflag.Value {
	return value[string]{to, "I/N", func(v string) string { return v }, func(text string) (string, error) {
		if text == "" {
			return "", errors.New("must be I/N or auto, and is empty")
		}
		return text, nil
	}}
}
