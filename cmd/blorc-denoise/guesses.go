package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/batch"
	"github.com/blorc-denoise/blorc-denoise/denoise"
)

// wrongVerbs maps words that people try as commands to the commands that they mean. The words that follow replace
// FILES.
var wrongVerbs = map[string]string{
	"denoise":  program + " FILES",
	"clean":    program + " FILES",
	"run":      program + " FILES",
	"batch":    program + " -r FILES -o cleaned/",
	"compare":  program + " FILES --compare page.html",
	"diff":     program + " FILES --compare page.html",
	"gui":      program + " view FILES",
	"open":     program + " view FILES",
	"show":     program + " view FILES",
	"serve":    program + " view FILES",
	"preview":  program + " view FILES",
	"estimate": program + " noise estimate FILES",
	"info":     program + " noise estimate FILES",
	"undo":     program + " restore FILES",
	"revert":   program + " restore FILES",
	"models":   program + " model list",
	"version":  program + " --version",
}

// guess refuses what looks like the command line of another program, before any work is done.
func (f *denoiseFlags) guess(quiet bool) error {
	words := f.names.words
	if quiet {
		if err := noQuality(words); err != nil {
			return err
		}
	}
	if _, err := os.Lstat(words[0]); err != nil {
		if meant, ok := wrongVerbs[words[0]]; ok {
			return usage("there is no command %s, and no file of this name; did you mean: %s?", words[0],
				withFiles(meant, words))
		}
		return nil
	}
	if len(words) != 2 || f.names.output != "" || f.names.inPlace {
		return nil
	}
	if f.names.first {
		return f.inAndOut(words[0], words[1])
	}
	return f.folderAndOut(words[0], words[1])
}

// noQuality refuses the name of a quality that is meant as the value of -q, and is no file.
func noQuality(words []string) error {
	for _, w := range words {
		var q denoise.Quality
		if _, err := os.Lstat(w); err != nil && q.UnmarshalText([]byte(w)) == nil {
			return usage("there is no file %s, and -q is --quiet; did you mean --quality %[1]s?", w)
		}
	}
	return nil
}

// folderAndOut refuses a second name beside a folder that is meant for the output: one that is not there.
func (f *denoiseFlags) folderAndOut(in, out string) error {
	from, err := os.Stat(in)
	if _, missing := os.Lstat(out); err != nil || !from.IsDir() || !os.IsNotExist(missing) || !isOneFile(out) {
		return nil
	}
	meant := []string{in, "-o", out}
	if f.names.recursive {
		meant = slices.Insert(meant, 0, "-r")
	}
	return usage("%s does not exist, and the output needs -o; did you mean: %s?", out, commandLine(meant))
}

// withFiles puts files into a command. Two of them are compared as one before and after.
func withFiles(meant string, words []string) string {
	files := words[1:]
	if strings.Contains(meant, "--compare") && len(files) > 1 {
		files = files[:1]
	}
	line := strings.TrimPrefix(commandLine(files), program)
	return strings.Replace(meant, " FILES", line, 1)
}

// inAndOut refuses a second name that is meant for the output, as other programs take it: one that is not there, a
// folder, what this program has made of the first, or a file that is named like an output.
func (f *denoiseFlags) inAndOut(in, out string) error {
	meant := commandLine([]string{in, "-o", out})
	info, err := os.Stat(out)
	switch {
	case os.IsNotExist(err) && (isImageName(out) || os.IsPathSeparator(out[len(out)-1])):
		return usage("%s does not exist, and the output needs -o; did you mean: %s?", out, meant)
	case err == nil && info.IsDir():
		return usage("%s is a folder, and the output needs -o; did you mean: %s?", out, meant)
	case err == nil && f.madeOf(in, out):
		return usage("%s was made of %s, and the output needs -o; to make it again: %s --overwrite changed", out, in,
			meant)
	case err == nil && namedLikeOutput(in, out) && !f.made(in, out) && !fromPattern(in, out):
		return usage("%s is named like an output, which needs -o; did you mean: %s --overwrite always? To denoise "+
			"both files, name %[1]s first", out, meant)
	}
	return nil
}

// outputName matches what people call outputs, after the name of the input or alone.
var outputName = regexp.MustCompile(`(?i)^(|.*[-_. ])(out|output|result|clean|cleaned|denoised)$`)

// namedLikeOutput says whether a file is named like the output of another.
func namedLikeOutput(in, out string) bool {
	stem := func(path string) string { return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)) }
	parts := outputName.FindStringSubmatch(stem(out))
	return parts != nil && (parts[1] == "" || strings.TrimRight(parts[1], "-_. ") == stem(in))
}

// fromPattern says whether a shell may have put two files for a pattern such as *.png: there are no others of this
// extension in their folder.
func fromPattern(first, second string) bool {
	all, err := filepath.Glob(filepath.Join(filepath.Dir(first), "*"+filepath.Ext(first)))
	return err == nil && slices.Equal(all, []string{filepath.Clean(first), filepath.Clean(second)})
}

// madeOf says whether a file was made of another with -o. Patterns name results beside their inputs, too; those are
// left out later.
func (f *denoiseFlags) madeOf(in, out string) bool {
	beside := strings.HasSuffix(strings.TrimSuffix(out, filepath.Ext(out)), batch.DefaultSuffix)
	return !beside && f.made(in, out)
}

// made says whether the history knows a file as the output of another.
func (f *denoiseFlags) made(in, out string) bool {
	history, err := f.batch.history.open()
	if err != nil || history == nil {
		return false
	}
	made, ok := history.Find(out)
	abs, err := filepath.Abs(in)
	return ok && err == nil && made.Path == abs
}

// synonym is a flag of other programs, or with the name of a command before it, of other commands.
type synonym struct {
	flag   string // that is meant; "" for none
	advice string
}

var synonyms = map[string]synonym{
	"iso":      {"", "the noise is found in the file; --sigma and --noise say it otherwise"},
	"gpu":      {"", "no GPU is used; --quality fast is the quickest"},
	"cuda":     {"", "no GPU is used; --quality fast is the quickest"},
	"scale":    {"", "pictures keep their size"},
	"resize":   {"", "pictures keep their size"},
	"preview":  {"", "did you mean the command: " + program + " view FILE?"},
	"gui":      {"", "did you mean the command: " + program + " view FILE?"},
	"undo":     {"", "did you mean the command: " + program + " restore FILE?"},
	"lossless": {"format", "did you mean --format png?"},
	"force":    {"overwrite", ""}, "yes": {"overwrite", ""}, "y": {"overwrite", ""}, "f": {"overwrite", ""},
	"replace": {"overwrite", ""},
	"out":     {"output", ""}, "outfile": {"output", ""}, "out-file": {"output", ""}, "destination": {"output", ""},
	"dest":    {"output", ""},
	"threads": {"workers", ""}, "cores": {"workers", ""}, "cpus": {"workers", ""}, "parallel": {"workers", ""},
	"level": {"sigma", ""}, "noise-level": {"sigma", ""}, "stddev": {"sigma", ""},
	"amount": {"strength", ""}, "intensity": {"strength", ""}, "denoise": {"strength", ""},
	"preset": {"quality", ""}, "speed": {"quality", ""}, "fast": {"quality", "did you mean --quality fast?"},
	"best":      {"quality", "did you mean --quality best?"},
	"extension": {"format", ""}, "type": {"format", ""}, "recurse": {"recursive", ""}, "log": {"report", ""},
	"simulate": {"dry-run", ""},
	"dry":      {"dry-run", ""}, "method": {"model", ""}, "bit-depth": {"depth", ""}, "V": {"version", ""},
	"float": {"depth", "did you mean --depth float?"}, "luminance": {"luma", ""}, "color": {"chroma", ""},
	"colour":   {"chroma", ""},
	"exif":     {"strip", "metadata stays, unless you give --strip"},
	"metadata": {"strip", "metadata stays, unless you give --strip"},
	"backup":   {"in-place", "--in-place keeps the inputs as NAME.orig; without it, inputs stay as they are"},
	"page":     {"", "all pages of a file are denoised"}, "pages": {"", "all pages of a file are denoised"},
	"frames": {"", "all pages of a file are denoised"},

	"watch o": {"", outIsSecond}, "watch output": {"", outIsSecond},
	"watch r": {"", "subfolders are always searched"}, "watch recursive": {"", "subfolders are always searched"},
	"watch format":    {"", "outputs have the formats of their inputs"},
	"watch overwrite": {"", "outputs that exist stay, and new ones get other names"},
	"watch jobs":      {"", "one file is denoised at a time, on all processors (see --workers)"},
}

const outIsSecond = "the output folder needs no flag: " + program + " watch IN OUT"

// overwriteWords are the values of --overwrite that are meant by a flag without any.
const overwriteWords = "--overwrite always"

// hint says what a flag of other programs is called here, if the command has it.
func hint(command, name string, has func(flag string) (kind string, ok bool)) string {
	s, known := synonyms[command+" "+name]
	if !known {
		s, known = synonyms[name]
	}
	if !known {
		return ""
	}
	kind, ok := has(s.flag)
	switch {
	case s.flag != "" && !ok:
		return ""
	case s.advice != "":
		return s.advice
	case s.flag == "overwrite" && kind != "bool":
		return fmt.Sprintf("did you mean %s?", overwriteWords)
	}
	return fmt.Sprintf("did you mean --%s?", s.flag)
}
