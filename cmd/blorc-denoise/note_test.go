package main

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// text FILE: prints the uncompressed texts of a PNG file, each as KEYWORD=TEXT.
func cmdText(ts *testscript.TestScript, _ bool, args []string) {
	for p := ts.ReadFile(args[0])[8:]; len(p) >= 12; {
		n := 12 + int(binary.BigEndian.Uint32([]byte(p)))
		if p[4:8] == "tEXt" {
			fmt.Fprintln(ts.Stdout(), strings.Replace(p[8:n-4], "\x00", "=", 1))
		}
		p = p[n:]
	}
}
