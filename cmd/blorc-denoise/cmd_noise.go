package main

import "github.com/spf13/cobra"

func newNoise(u *ui) *cobra.Command {
	return group("noise", "Add noise to images, or estimate it", newNoiseAdd(u), newNoiseEstimate(u))
}

func exactlyOne(what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usage("exactly one %s is needed", what)
		}
		return nil
	}
}
