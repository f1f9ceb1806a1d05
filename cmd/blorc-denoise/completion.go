package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/blorc-denoise/blorc-denoise/internal/disk"
	"github.com/blorc-denoise/blorc-denoise/models"
)

// flagWords are the words that flags take, with what they mean after a tab.
var flagWords = map[string][]cobra.Completion{
	"quality": {"fast\tthe fastest", "balanced\tthe default", "best\ttwo to three times as slow"},
	"noise": {"auto\tfound in the file", "gaussian\twhite noise", "camera\treal photographs", "poisson\tphoton counts",
		"none\tleave the samples as they are"},
	"overwrite": {"never\tkeep what exists", "older\treplace what is older than its input",
		"changed\treplace what was made otherwise", "always"},
	"format":         {"png", "tiff", "jpeg"},
	"on-unsupported": {"fail", "copy"},
	"hot":            {"keep\tas they are", "remove"},
	"on-damaged":     {"refuse", "keep	what is there of a JPEG file"},
	"on-invalid":     {"refuse", "keep	NaN and infinite samples"},
	"optimizer":      {"adam", "gradient"},
	"pilots":         {"model", "shipped"},
	"start":          {"dct", "identity"},
	"log":            {"text", "json"},
	"on-success":     {"keep", "delete", "move:"},
	"on-failure":     {"keep", "move:"},
	"shard":          {"auto\tfrom Slurm or Kubernetes"},
}

// flagFiles are the endings of the files that flags take.
var flagFiles = map[string][]cobra.Completion{"report": {"html", "csv"}}

// flagFolders are flags that take a folder.
var flagFolders = []string{"noisy", "val", "val-noisy", "history"}

// plainTexts are flags that take neither words nor files.
var plainTexts = []string{"nodata", "suffix", "licence", "size"}

// addCompletion teaches all commands to complete what their flags and they themselves take. What a command has said
// itself stays.
func addCompletion(c *cobra.Command) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if _, has := c.GetFlagCompletionFunc(f.Name); has || f.NoOptDefVal != "" { // a switch takes nothing
			return
		}
		if complete := flagCompletion(f); complete != nil {
			c.RegisterFlagCompletionFunc(f.Name, complete)
		}
	})
	if complete, ok := argCompletion[c.CommandPath()]; ok && c.ValidArgsFunction == nil {
		c.ValidArgsFunction = complete
	}
	for _, child := range c.Commands() {
		addCompletion(child)
	}
}

// plainUsage takes the backquotes off the texts of all flags, since completion shows them as they are.
func plainUsage(c *cobra.Command) {
	plain := func(f *pflag.Flag) { _, f.Usage = pflag.UnquoteUsage(f) }
	c.Flags().VisitAll(plain)
	c.PersistentFlags().VisitAll(plain)
	for _, child := range c.Commands() {
		plainUsage(child)
	}
}

// flagCompletion returns what completes the value of a flag, or nil if that is any file.
func flagCompletion(f *pflag.Flag) cobra.CompletionFunc {
	words, hasWords := flagWords[f.Name]
	switch kind := f.Value.Type(); {
	case f.Name == "model" || f.Name == "local" || f.Name == "from":
		return modelsOrFiles
	case slices.Contains(flagFolders, f.Name):
		return cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)
	case len(flagFiles[f.Name]) > 0:
		return cobra.FixedCompletions(flagFiles[f.Name], cobra.ShellCompDirectiveFilterFileExt)
	case f.Name == "sigma" && kind == sigmaKind:
		return cobra.FixedCompletions([]cobra.Completion{"auto\tfound in the file"}, cobra.ShellCompDirectiveNoFileComp)
	case hasWords:
		return wordsOf(words)
	// a number
	case slices.Contains(plainTexts, f.Name), kind != "string" && kind != "stringArray" && kind != "stringSlice":
		return cobra.NoFileCompletions
	}
	return nil
}

// wordsOf completes words. No space follows one that ends in a colon.
func wordsOf(words []cobra.Completion) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		directive := cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
		fit := withPrefix(words, begun)
		switch {
		case len(fit) == 1 && strings.HasSuffix(fit[0], ":"):
			directive |= cobra.ShellCompDirectiveNoSpace
		case len(fit) == 0 && strings.HasPrefix(begun, "move:"):
			return pathsWith("move:", begun[len("move:"):], func(string) bool { return false })
		}
		return fit, directive
	}
}

func withPrefix(words []cobra.Completion, begun string) []cobra.Completion {
	var fit []cobra.Completion
	for _, w := range words {
		if strings.HasPrefix(w, begun) {
			fit = append(fit, w)
		}
	}
	return fit
}

// modelsOrFiles completes the name of a shipped model, or else a file.
func modelsOrFiles(_ *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var names []cobra.Completion
	for _, e := range models.List() {
		if !models.Refines(e.Name) && !slices.Contains(names, e.Name) {
			names = append(names, e.Name)
		}
	}
	return withPrefix(names, begun), cobra.ShellCompDirectiveDefault
}

// argCompletion completes the arguments of commands. Others take files.
var argCompletion = map[string]cobra.CompletionFunc{
	program:                    inputs,
	program + " watch":         firstFolders(2),
	program + " status":        firstFolders(1),
	program + " train":         cobra.NoFileCompletions,
	program + " bench":         cobra.NoFileCompletions,
	program + " demo":          cobra.NoFileCompletions,
	program + " model list":    cobra.NoFileCompletions,
	program + " model info":    modelsOrFiles,
	program + " model filters": modelsOrFiles,
}

// firstFolders completes folders for the first n arguments, and nothing after them.
func firstFolders(n int) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) >= n {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
}

// inputs completes files for the program itself. A shell does that, but not where the names of commands fit too, nor
// after an @.
func inputs(c *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if list, ok := strings.CutPrefix(begun, "@"); ok {
		return pathsWith("@", list, func(string) bool { return true })
	}
	command := slices.ContainsFunc(c.Commands(), func(c *cobra.Command) bool {
		return c.IsAvailableCommand() &&
			strings.HasPrefix(c.Name(), begun)
	})
	if len(args) > 0 || !command {
		return nil, cobra.ShellCompDirectiveDefault
	}
	files, _ := pathsWith("", begun, isImageName)
	return files, cobra.ShellCompDirectiveDefault
}

// pathsWith returns folders, and files that are wanted, whose paths begin with begun, with a text before each.
func pathsWith(before, begun string, wanted func(name string) bool) ([]cobra.Completion, cobra.ShellCompDirective) {
	dir, prefix := filepath.Split(begun)
	entries, err := os.ReadDir(filepath.Clean(dir))
	if dir == "" {
		entries, err = os.ReadDir(".")
	}
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	const most = 1000
	var fit []cobra.Completion
	directive := cobra.ShellCompDirectiveNoFileComp
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, prefix) || disk.Hidden(name) || strings.ContainsAny(name, "\n\t") ||
			len(fit) >= most {
			continue
		}
		switch info, err := os.Stat(filepath.Join(dir, name)); {
		case err == nil && info.IsDir():
			fit = append(fit, before+dir+name+string(filepath.Separator))
			directive |= cobra.ShellCompDirectiveNoSpace
		case err == nil && wanted(name):
			fit = append(fit, before+dir+name)
		}
	}
	return fit, directive
}
