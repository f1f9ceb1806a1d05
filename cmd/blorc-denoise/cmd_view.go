package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/batch"
	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/view"
	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// viewFlags holds the flags of view: the program's own flags, except those that make no sense on a page, and a few
// more.
type viewFlags struct {
	denoiseFlags
	noOpen bool
	port   int
}

func newView(u *ui) *cobra.Command {
	f := viewFlags{}
	c := &cobra.Command{
		Use:   "view [FILE|FOLDER|PATTERN|@LIST]...",
		Short: "Look at images before and after denoising, choose settings by eye, and save",
		Long: `Open a page in the browser that shows images before and after denoising, at 100 %, with a slider between both.

Without a file, the page has a place to drop pictures and a button to choose them; you can add more at any time. The program saves
pictures that you choose in the file dialog of the system beside their sources, or as -o says. It does not know the folder of a
dropped picture, so the browser downloads its result, or the program writes it to the folder of -o.

The program denoises the visible part first, at fast quality and then at the chosen one, and then the rest. Strength, luma,
chroma and grain act at once. The page also shows the estimated noise, and the histogram of the residual. It saves one or all files
as the command line does, with the same names and bytes, and shows that command line to copy.

This program serves the page on the loopback address, and the page loads nothing from the network. Its address has a random
token, and the program refuses requests from other pages. When you close the page, the program finishes the files that it is
saving and ends. Ctrl-C ends it without finishing them.

The flags determine the initial settings of the page, and how it saves files.`,
		Example: `  blorc-denoise view
  blorc-denoise view photo.jpg
  blorc-denoise view scans/*.tif -o cleaned/ --quality best
  blorc-denoise view photo.jpg --no-open --port 8080   # on another machine: ssh -L 8080:127.0.0.1:8080 HOST`,
		Args: func(c *cobra.Command, args []string) error {
			if f.noOpen || onDesktop(runtime.GOOS, os.Getenv) {
				return nil
			}
			return atLeastOne("file")(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error { return f.run(c.Context(), u, c.Flags(), args) },
	}
	flags := c.Flags()
	flags.BoolVar(&f.noOpen, "no-open", false, "print the address of the page on stdout instead of opening the browser")
	flags.IntVar(&f.port, "port", 0, "`PORT` of the loopback address (default any that is free)")
	f.names.add(flags, "")
	f.names.addSuffix(flags)
	flags.StringVar(&f.batch.overwrite, "overwrite", "never",
		"`WHEN` to replace existing files: never, always, or older (than the input)")
	flags.BoolVar(&f.batch.preserve, "preserve", false, "give outputs the time and permissions of their inputs")
	flags.Var(numberValue(&f.batch.memory, "B"), "max-memory",
		"refuse files that take more memory than `SIZE`, such as 500M or 2G (default all memory)")
	f.fileFlags.add(flags)
	return c
}

func (f *viewFlags) run(ctx context.Context, u *ui, set *pflag.FlagSet, words []string) error {
	if f.port < 0 || f.port > 65535 {
		return usage("--port must be between 0 and 65535")
	}
	if err := noPipe("view", append([]string{f.names.output}, words...)); err != nil {
		return err
	}
	f.names.take(words)
	o, err := f.options()
	if err != nil {
		return err
	}
	v := &viewer{viewFlags: f, ctx: ctx, fixed: givenFlags(set, pageFlags...), chooser: fileChooser()}
	if err := v.find(ctx, u); err != nil {
		return err
	}
	defer v.clean()
	saveMemory(0)
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(f.port)))
	if err != nil {
		return err
	}
	signal.Ignore(syscall.SIGPIPE)
	var failed error
	config := view.Config{Files: v.list(), Options: o, Read: f.read.ReadOptions,
		Replace: batch.Overwrite(f.batch.overwrite) == batch.Always,
		Open:    v.open, Save: v.save, Command: v.command, Take: v.take, Result: v.result}
	if v.chooser != nil {
		config.Choose = v.choose
	}
	config.Ready = func(address, once string) { failed = v.announce(u, l, address, once) }
	if err := view.Serve(ctx, l, config); err != nil {
		return err
	}
	if failed != nil {
		return failed
	}
	return v.end(u)
}

// end says how many files were saved. Files whose last attempt failed make the exit code, as on the command line.
func (v *viewer) end(u *ui) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	t := tally{done: v.saved, codes: slices.Collect(maps.Values(v.failed))}
	text := fmt.Sprintf("ended; %s saved", countOf(int64(v.saved), "file"))
	if n := len(v.failed); n > 0 {
		text += fmt.Sprintf(", %s not", countOf(int64(n), "file"))
	}
	if v.left > 0 {
		u.say("%s, %s left", text, countOf(int64(v.left), "file"))
		return silent(exitInterrupted)
	}
	u.say("%s", text)
	return t.err()
}

// note remembers how an attempt to save a file ended.
func (v *viewer) note(i int, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.failed, i)
	if err == nil {
		v.saved++
		return
	}
	if v.failed == nil {
		v.failed = map[int]int{}
	}
	v.failed[i] = exitCode(err)
}

// announce prints the address, or opens the browser.
func (v *viewer) announce(u *ui, l net.Listener, address, once string) error {
	if v.noOpen {
		if _, err := fmt.Fprintln(u.out, address); err != nil {
			l.Close()
			return err
		}
		return nil
	}
	if len(v.items) == 0 {
		u.say("a page for pictures at %s", address)
	} else {
		u.say("%s at %s", countOf(int64(len(v.items)), "file"), address)
	}
	u.say("close the page or press Ctrl-C to end")
	go func() {
		if err := openBrowser(once); err != nil {
			u.say("no browser could be opened (%v): open the address above", err)
		}
	}()
	return nil
}

// find looks up the files and where they would be saved.
func (v *viewer) find(ctx context.Context, u *ui) error {
	if len(v.names.words) == 0 {
		v.saveAs(u, batch.Naming{Folder: v.names.output, Suffix: v.names.suffix, Format: v.names.format})
		return nil
	}
	s, err := v.names.find(ctx)
	if err != nil {
		return err
	}
	var t tally
	t.refused(u, s.found)
	for _, it := range s.items {
		if err := v.exists(it, len(s.items) == 1); err != nil {
			t.fail(u, it.Path, err)
			continue
		}
		v.items = append(v.items, shown{Item: it})
	}
	if len(v.items) == 0 && len(t.codes) > 0 {
		return t.err()
	}
	if len(v.items) == 0 {
		return fmt.Errorf("%w: no PNG, JPEG, TIFF or DNG files", fs.ErrNotExist)
	}
	v.saveAs(u, s.naming)
	return nil
}

// saveAs says where files are saved.
func (v *viewer) saveAs(u *ui, naming batch.Naming) {
	v.naming, v.saver = naming, *v.planFor(u, selected{naming: naming})
}

// exists says why a file cannot be shown. Only the headers of a single file are read; those of many would take time,
// and the page shows what is wrong with a file when its turn comes.
func (v *viewer) exists(it batch.Item, single bool) error {
	if single {
		_, err := imageio.ReadInfo(it.Path, v.read.ReadOptions)
		return err
	}
	_, err := os.Stat(it.Path)
	return err
}

// list returns the files for the page.
func (v *viewer) list() []view.File {
	var files []view.File
	for _, s := range v.items {
		files = append(files, s.file())
	}
	return files
}

// tileBytes is about what the page's tiles take for each pixel: 4 bytes after denoising, and a third more for smaller
// sizes of both sides.
const tileBytes = 8

// open opens a file unless it takes too much memory.
func (v *viewer) open(i int) (*imageio.Reader, error) {
	it := v.item(i)
	size := v.saver.job(it.Item, v.solver.Options).Size
	size.Memory += tileBytes * size.Pixels()
	if err := size.Check(v.most()); err != nil {
		return nil, errors.New(reason(it.Path, err))
	}
	r, err := imageio.Open(it.Path, v.read.ReadOptions)
	if err != nil {
		return nil, errors.New(reason(it.Path, err))
	}
	return r, nil
}

// save writes a file as the command line would.
func (v *viewer) save(ctx context.Context, i int, o denoise.Options, replace bool) (string, error) {
	p := v.saver
	if replace {
		p.output.Overwrite = batch.Always
	}
	it := v.item(i)
	if it.loose { // the browser keeps it
		p.output.Overwrite, p.output.Folder = batch.Always, ""
	}
	if info, err := os.Stat(it.Path); err == nil { // it may have changed since the start
		it.Info = info
	}
	if due, why := p.output.Due(it.Item); !due {
		return "", fmt.Errorf("not saved: %s", why)
	}
	if p.output.Folder != "" {
		if err := os.MkdirAll(p.output.Folder, 0o777); err != nil {
			v.note(i, err)
			return "", err
		}
	}
	r := p.file(ctx, p.job(it.Item, o), o)
	if errors.Is(r.err, context.Canceled) {
		if v.ctx.Err() != nil {
			v.mu.Lock()
			v.left++
			v.mu.Unlock()
		}
		return "", r.err
	}
	v.note(i, r.err)
	if r.err != nil {
		v.saver.u.fail(it.label(), r.err)
		return "", errors.New(oneLine(reason(it.Path, r.err)))
	}
	text := fmt.Sprintf("%s -> %s: %s, %.1f s", it.label(), it.saved(), describeResult(r.Result), r.seconds)
	v.saver.u.say("%s", text)
	v.saver.u.warn(it.label(), r.Warnings)
	return oneLine(withWarnings(text, r.Warnings)), nil
}
