package main

import (
	"strconv"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/batch"
)

// numberValue is a flag that takes a number of bytes or pixels with a suffix, such as 2G.
type numberValue struct {
	n         *int64
	unit      string // that may follow, such as B
	allowZero bool
}

func (v numberValue) String() string {
	if v.n == nil || *v.n == 0 {
		return ""
	}
	for _, s := range []struct {
		suffix string
		size   int64
	}{{"Gi", 1 << 30}, {"G", 1e9}, {"Mi", 1 << 20}, {"M", 1e6}} {
		if *v.n%s.size == 0 {
			return strconv.FormatInt(*v.n/s.size, 10) + s.suffix
		}
	}
	return strconv.FormatInt(*v.n, 10)
}

func (v numberValue) Set(text string) error {
	if text == "0" && v.allowZero {
		*v.n = 0
		return nil
	}
	n, err := batch.ParseNumber(text, v.unit)
	if err != nil {
		return err
	}
	*v.n = n
	return nil
}

func (v numberValue) Type() string { return "NUMBER" }
