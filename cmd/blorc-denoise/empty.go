package main

import (
	"errors"
	"math"
	"strconv"

	"github.com/spf13/pflag"
)

// noDataValue is the flag --nodata: the level of samples that were not measured. It is nil without the flag.
type noDataValue struct{ level **float64 }

// addEmpty adds the flags about samples that carry no picture to commands that find or remove noise.
func (r *readFlags) addEmpty(f *pflag.FlagSet) {
	f.Var(keepValue{&r.KeepInvalid}, "on-invalid",
		"what to do with a float file with samples that are NaN or infinite: refuse it, or keep those samples "+
			"unchanged, and let nothing else depend on them")
	f.Var(noDataValue{&r.NoData}, "nodata", "gray `LEVEL` of missing values: these samples stay unchanged, and "+
		"nothing else depends on them (default: from the tag of the file, or found)")
}

func (v noDataValue) String() string {
	if v.level == nil || *v.level == nil {
		return ""
	}
	return strconv.FormatFloat(**v.level, 'g', -1, 64)
}

func (v noDataValue) Set(text string) error {
	level, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(level) || math.IsInf(level, 0) {
		return errors.New("must be a number, such as -9999")
	}
	*v.level = &level
	return nil
}

func (v noDataValue) Type() string { return "LEVEL" }

// hotValue is the flag --hot: whether hot and dead pixels are removed.
type hotValue bool

const hotHelp = "`WHAT` to do with hot and dead pixels, far outside the range of the picture: " +
	"keep them unchanged, or remove them"

func (v *hotValue) String() string {
	if *v {
		return "remove"
	}
	return "keep"
}

func (v *hotValue) Set(text string) error {
	switch text {
	case "keep", "remove":
		*v = text == "remove"
		return nil
	}
	return errors.New("must be keep or remove")
}

func (v *hotValue) Type() string { return "WHAT" }
