// Command gen writes the assembly of the packages kernel and scan, with the Go declarations: AVX2 and AVX-512 with avo,
// NEON as text. It is a module of its own, so that users of the kernels do not depend on avo.
package main

import (
	"flag"
	"log"
	"os"
	"path/filepath"
)

// command is named in the generated files.
const command = "go generate ./internal/kernel"

func main() {
	dir := flag.String("o", ".", "folder of package kernel")
	flag.Parse()
	for _, f := range []struct {
		name     string
		generate func(tile) (asm, stubs []byte, err error)
		tile     tile
	}{
		{"avx2_amd64", amd64, tile{suffix: "AVX2", rows: 4, width: 8, unroll: 4}},
		{"avx512_amd64", amd64, tile{suffix: "AVX512", rows: 8, width: 16, unroll: 1}},
		{"neon_arm64", arm64, tile{suffix: "NEON", rows: 8, width: 4, unroll: 1}},
		{"scan/avx2_amd64", amd64Scan, tile{suffix: "AVX2", width: 8}},
		{"scan/avx512_amd64", amd64Scan, tile{suffix: "AVX512", width: 16}},
	} {
		asm, stubs, err := f.generate(f.tile)
		if err != nil {
			log.Fatalf("%s: %v", f.name, err)
		}
		path := filepath.Join(*dir, filepath.FromSlash(f.name))
		write(path+".s", asm)
		write(path+".go", stubs)
	}
}

func write(name string, text []byte) {
	if err := os.WriteFile(name, text, 0o644); err != nil {
		log.Fatal(err)
	}
}
