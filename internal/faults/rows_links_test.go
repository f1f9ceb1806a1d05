//go:build linux

package faults

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

var (
	_ = fault("F33", "input folders swapped for links", func(c *cases) { swappedInputs(c, "batch") })
	_ = fault("F33", "input folders swapped for links, watch, inputs deleted",
		func(c *cases) { swappedInputs(c, "delete") })
	_ = fault("F33", "input folders swapped for links, watch, inputs moved",
		func(c *cases) { swappedInputs(c, "move:moved") })
	_ = fault("F34", "output folders swapped for links", func(c *cases) { swappedOutputs(c, false) })
	_ = fault("F34", "output folders swapped for links, watch", func(c *cases) { swappedOutputs(c, true) })
)

// swapper puts a link in the place of a folder and back, again and again, until stop is called, which leaves the
// folder.
func (c *cases) swapper(folder, to string) (stop func() int) {
	end, n := make(chan bool), 0
	var running sync.WaitGroup
	running.Go(func() {
		r := rand.New(rand.NewPCG(33, 34))
		pause := func() { time.Sleep(time.Duration(r.IntN(3000)) * time.Microsecond) }
		for {
			select {
			case <-end:
				return
			default:
			}
			os.Rename(folder, folder+".tmp")
			linked := os.Symlink(to, folder) == nil // or the program has made the folder just now
			pause()
			if linked {
				os.Remove(folder)
				n++
			}
			os.Rename(folder+".tmp", folder)
			pause()
		}
	})
	return func() int { close(end); running.Wait(); return n }
}

// swappedInputs: nothing outside is read, moved, deleted or replaced.
func swappedInputs(c *cases, mode string) {
	flags := c.model()
	swaps, files := c.count(30, 1000), 6
	c.picture("outside/secret.png", 33, 31) // of another size than all others
	c.check("swaps", func() error {
		n := 0
		for round := 0; n < swaps; round++ {
			in := fmt.Sprint("in", round)
			for i := range files {
				c.picture(fmt.Sprintf("%s/d/%d.png", in, i), 20, 20)
				c.copyFile("outside/secret.png", fmt.Sprintf("outside/%d.png", i))
			}
			before := c.files("outside")
			var d *daemon
			if mode != "batch" {
				settle := []string{"1ms", "20ms", "100ms"}[round%3]
				d = c.launch(c.command(watchArgs(flags, in, fmt.Sprint("out", round), "--settle", settle,
					"--on-success", mode, "-q")...))
			}
			stop := c.swapper(c.path(in+"/d"), c.path("outside"))
			switch {
			case mode != "batch":
				time.Sleep(300 * time.Millisecond)
			case round%2 == 0:
				c.tool(append(flags, "-r", in, "-o", fmt.Sprint("out", round), "-q")...)
			default:
				c.tool(append(flags, "-r", in, "--in-place", "-q")...)
			}
			n += stop()
			if d != nil {
				c.end(d, syscall.SIGTERM)
			}
			c.total = n - 1
			if err := same(c.files("outside"), before); err != nil {
				return fmt.Errorf("outside: %w", err)
			}
			for name, data := range c.files(".") {
				if !strings.HasPrefix(name, "outside/") && strings.HasSuffix(name, ".png") && widthOf(data) == 33 {
					return fmt.Errorf("%s was made of a file outside", name)
				}
			}
			os.RemoveAll(c.path(in))
			os.RemoveAll(c.path(fmt.Sprint("out", round)))
		}
		return nil
	})
}

// widthOf reads the width in the header of a PNG file.
func widthOf(data []byte) int {
	if len(data) < 20 {
		return 0
	}
	return int(data[18])<<8 | int(data[19])
}

func (c *cases) copyFile(from, to string) {
	data, err := os.ReadFile(c.path(from))
	if err == nil {
		err = os.WriteFile(c.path(to), data, 0o666)
	}
	must(c, err)
}

// swappedOutputs: nothing is written outside, and what is written is whole.
func swappedOutputs(c *cases, watched bool) {
	flags := c.model()
	swaps, files := c.count(30, 1000), 6
	for i := range files {
		c.picture(fmt.Sprintf("in/d/%d.png", i), 40, 40)
	}
	quality := []string{}
	if watched {
		quality = []string{"--quality", "fast"}
	}
	want := undisturbed(c, "in", append(flags, quality...))
	c.check("swaps", func() error {
		n := 0
		for round := 0; n < swaps; round++ {
			os.Mkdir(c.path("outside"), 0o777)
			os.MkdirAll(c.path("out/d"), 0o777)
			stop := c.swapper(c.path("out/d"), c.path("outside"))
			if watched {
				d := c.launch(c.command(watchArgs(flags, "in", "out", "-q")...))
				time.Sleep(400 * time.Millisecond)
				c.end(d, syscall.SIGTERM)
			} else {
				for range 3 {
					c.tool(append(flags, "-r", "in", "-o", "out", "-q", "--overwrite", "always")...)
				}
			}
			n += stop()
			c.total = n - 1
			if outside := c.files("outside"); len(outside) > 0 {
				return fmt.Errorf("%d files outside", len(outside))
			}
			got := map[string][]byte{}
			for name, data := range c.outputs("out") {
				got["d/"+filepath.Base(name)] = data // the folder may have had the other name
			}
			if _, err := within(got, want); err != nil {
				return err
			}
			os.RemoveAll(c.path("out"))
		}
		return nil
	})
}
