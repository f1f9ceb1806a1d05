package main

import "github.com/spf13/pflag"

// noteFlag asks for a line in the history of outputs.
type noteFlag bool

func (n *noteFlag) add(f *pflag.FlagSet) {
	f.BoolVar((*bool)(n), "note", false,
		"add a line to the history in the metadata of outputs: this program, its version, the noise and the "+
			"settings")
}

// text returns what the library is told, or "" for no note.
func (n noteFlag) text() string {
	if !n {
		return ""
	}
	return program + " " + version()
}
