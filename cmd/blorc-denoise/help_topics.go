package main

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// topicTexts are made from pages in docs by TestTopics.
//
//go:embed topics/*.txt
var topicTexts embed.FS

// topics are what 'help' explains besides commands, with what they are about after a tab.
var topics = []cobra.Completion{
	flagsTopic + "\tall flags, by what they are for",
	"noise\tkinds of noise, and the flags for them",
	"files\twhat is read and written, metadata",
	"exit-codes\twhat exit codes mean",
	"json\twhat --json prints",
}

// flagsTopic is the topic that is made from the flags themselves.
const flagsTopic = "flags"

// newHelp returns the command 'help', which explains commands and topics. Topics are no commands, because a command
// would hide a file or folder of its name.
func newHelp() *cobra.Command {
	long := "Explain a command or a topic.\n\nTopics:\n"
	for _, t := range topics {
		name, about, _ := strings.Cut(t, "\t")
		long += fmt.Sprintf("  %-11s %s\n", name, about)
	}
	return &cobra.Command{
		Use:     "help [COMMAND | TOPIC]",
		Short:   "Explain a command, or one of: flags, noise, files, exit-codes, json",
		Long:    strings.TrimSpace(long),
		Example: "  blorc-denoise help files\n  blorc-denoise help noise add",
		ValidArgsFunction: func(c *cobra.Command, args []string, _ string) ([]cobra.Completion,
			cobra.ShellCompDirective) {
			return helpWords(c.Root(), args), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 && args[0] == flagsTopic {
				printFlags(c.OutOrStdout(), c.Root())
				return nil
			}
			if len(args) == 1 {
				if text, err := topicTexts.ReadFile("topics/" + args[0] + ".txt"); err == nil {
					_, err = c.OutOrStdout().Write(text)
					return err
				}
			}
			about, rest, err := c.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return usage("no command or topic %q; topics are %s", strings.Join(args, " "), topicNames())
			}
			about.InitDefaultHelpFlag()
			about.InitDefaultVersionFlag()
			return about.Help()
		},
	}
}

// topicNames returns the names of the topics, in a row.
func topicNames() string {
	var names []string
	for _, t := range topics {
		name, _, _ := strings.Cut(t, "\t")
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// helpWords returns what may follow words after 'help'.
func helpWords(root *cobra.Command, words []string) []cobra.Completion {
	about, rest, err := root.Find(words)
	if err != nil || len(rest) > 0 {
		return nil
	}
	var out []cobra.Completion
	if len(words) == 0 {
		out = slices.Clone(topics)
	}
	for _, c := range about.Commands() {
		if c.IsAvailableCommand() && !(len(words) == 0 && c.Name() == "noise") { // the topic names the command
			out = append(out, c.Name()+"\t"+c.Short)
		}
	}
	return out
}
