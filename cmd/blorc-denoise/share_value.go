package main

import (
	"errors"
	"strconv"
	"strings"
)

// parsePercent reads a number, or one before a percent sign as that share of whole.
func parsePercent(text string, whole float64) (float64, error) {
	number, percent := strings.CutSuffix(text, "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if percent {
		v = v * whole / 100
	}
	return v, err
}

// shareValue is a flag for a share, such as 0.2 or 20%.
type shareValue float64

func (s *shareValue) String() string { return strconv.FormatFloat(float64(*s), 'g', -1, 64) }

func (s *shareValue) Set(text string) error {
	v, err := parsePercent(text, 1)
	if err != nil || !(v >= 0 && v <= 1) {
		return errors.New("must be between 0 and 1; 0.2 is 20 %")
	}
	*s = shareValue(v)
	return nil
}

func (s *shareValue) Type() string { return "SHARE" }
