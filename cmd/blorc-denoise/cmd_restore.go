package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/blorc-denoise/blorc-denoise/internal/batch"
)

type restoreFlags struct {
	recursive bool
	keep      bool
	dryRun    bool
	json      bool
	history   historyFlag
}

func newRestore(u *ui) *cobra.Command {
	f := restoreFlags{}
	c := &cobra.Command{
		Use:   "restore FOLDER|FILE...",
		Short: "Put back what --in-place has replaced",
		Long: `Put back the originals that --in-place has replaced: NAME.orig gets the name NAME again. A folder means all backups of images
in it; with -r, those in subfolders as well. Links are not followed.

A denoised picture that has its original back is removed, if it is known that nobody has changed it since (see --history of
the program). If that is not known, and with --keep, it is kept beside as NAME-denoised.

With --json there is one object for each file: path, backup, status (restored, planned, failed), kept (the new name of the
denoised picture), and error with kind and message.

` + exitHelp,
		Example: `  blorc-denoise restore photos/ --dry-run
  blorc-denoise restore -r photos/
  blorc-denoise restore photo.png --keep`,
		Args: atLeastOne("folder or file"),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c.Context(), u, args) },
	}
	flags := c.Flags()
	flags.BoolVarP(&f.recursive, "recursive", "r", false, "look into subfolders too")
	flags.BoolVar(&f.keep, "keep", false, "keep all denoised pictures, as NAME-denoised")
	flags.BoolVarP(&f.dryRun, "dry-run", "n", false, "print what would be done")
	flags.BoolVar(&f.json, "json", false, "print a JSON object for each file on stdout")
	f.history.add(flags, "where it is remembered how outputs were made")
	return c
}

// restoreRecord is what --json prints for a file.
type restoreRecord struct {
	Path   string       `json:"path"`
	Backup string       `json:"backup,omitempty"`
	Status string       `json:"status"`
	Kept   string       `json:"kept,omitempty"`
	Error  *recordError `json:"error,omitempty"`
}

func (f *restoreFlags) run(ctx context.Context, u *ui, words []string) error {
	history, _ := f.history.open() // without one, more is kept
	found, err := batch.FindBackups(ctx, words, f.recursive)
	if err != nil {
		return err
	}
	if f.json && closedStdout(u.out) {
		return errStdoutClosed
	}
	var t tally
	kept := 0
	to := json.NewEncoder(u.out)
	to.SetEscapeHTML(false)
	tell := func(r restoreRecord) error {
		if !f.json {
			return nil
		}
		return to.Encode(r)
	}
	failed := func(path string, err error) error {
		code := u.fail(path, err)
		t.codes = append(t.codes, code)
		return tell(restoreRecord{Path: path, Status: statusFailed, Error: &recordError{errorKind(code), reason(path, err)}})
	}
	for _, r := range found.Refused {
		if err := failed(r.Path, r.Err); err != nil {
			return err
		}
	}
	o := batch.RestoreOptions{Keep: f.keep, DryRun: f.dryRun, History: history}
	for _, in := range found.Files {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		other, err := o.Restore(in)
		if err != nil {
			if err := failed(in.Path, err); err != nil {
				return err
			}
			continue
		}
		t.done++
		text := fmt.Sprintf("%s -> %s", batch.BackupName(in.Path), in.Path)
		if other != "" {
			kept++
			text += fmt.Sprintf(" (the denoised picture is kept as %s)", other)
		}
		r := restoreRecord{Path: in.Path, Backup: batch.BackupName(in.Path), Status: "restored", Kept: other}
		if f.dryRun {
			r.Status = statusPlanned
		}
		u.say("%s", text)
		if err := tell(r); err != nil {
			return err
		}
	}
	return f.finish(u, t, kept, found.Folders)
}

func (f *restoreFlags) finish(u *ui, t tally, kept, folders int) error {
	hint := ""
	if folders > 0 {
		hint = fmt.Sprintf("; %s not searched (see --recursive)", countOf(int64(folders), "subfolder"))
	}
	total := int64(t.done + len(t.codes))
	what := "restored"
	if f.dryRun {
		what = "to restore"
	}
	text := fmt.Sprintf("%d of %s %s", t.done, countOf(total, "file"), what)
	if kept > 0 {
		text += fmt.Sprintf(", %s kept", countOf(int64(kept), "denoised picture"))
	}
	if len(t.codes) > 0 {
		text += fmt.Sprintf(", %d failed", len(t.codes))
	}
	if total == 0 {
		text = "no backups found"
	}
	u.say("%s", text+hint)
	if code := t.code(); code != exitOK {
		return silent(code)
	}
	return nil
}
