package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/batch"
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
in it; with -r, those in subfolders as well. 'restore' follows no links.

'restore' removes the denoised picture if the history shows that nobody has edited it since (see --history of the program).
Otherwise, and with --keep, it keeps the picture beside the original as NAME-denoised.

With --json there is one object for each file: path, backup, status (restored, planned, failed), kept (the new name of the
denoised picture), and error with kind and message. Names that are not UTF-8 are in path_base64 and kept_base64 too.`,
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
	f.history.add(flags, "folder with the record of how outputs were made")
	return c
}

// restoreRecord is what --json prints for a file.
type restoreRecord struct {
	Path      string       `json:"path"`
	PathBytes []byte       `json:"path_base64,omitempty"` // if the path is not UTF-8 and so cannot stand in JSON
	Backup    string       `json:"backup,omitempty"`
	Status    string       `json:"status"`
	Kept      string       `json:"kept,omitempty"`
	KeptBytes []byte       `json:"kept_base64,omitempty"`
	Error     *recordError `json:"error,omitempty"`
}

func (f *restoreFlags) run(ctx context.Context, u *ui, words []string) error {
	found, err := batch.FindBackups(ctx, words, f.recursive)
	if err != nil {
		return err
	}
	history, _ := f.history.open() // without one, more is kept
	r := restoring{restoreFlags: f, u: u, how: batch.RestoreOptions{Keep: f.keep, DryRun: f.dryRun, History: history},
		to: jsonLines(u.out)}
	for _, no := range found.Refused {
		if err := r.failed(no.Path, no.Err); err != nil {
			return err
		}
	}
	for _, in := range found.Inputs {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := r.file(in); err != nil {
			return err
		}
	}
	r.summary(found.Folders)
	return r.tally.err()
}

// restoring puts files back and counts them. Its methods return an error only if stdout cannot be written.
type restoring struct {
	*restoreFlags
	u     *ui
	how   batch.RestoreOptions
	to    *json.Encoder
	tally tally
	kept  int // denoised pictures
}

func (r *restoring) tell(v restoreRecord) error {
	if !r.json {
		return nil
	}
	v.PathBytes, v.KeptBytes = oddBytes(v.Path), oddBytes(v.Kept)
	return r.to.Encode(v)
}

func (r *restoring) failed(path string, err error) error {
	code := r.u.fail(path, err)
	r.tally.codes = append(r.tally.codes, code)
	return r.tell(restoreRecord{Path: path, Status: statusFailed,
		Error: &recordError{errorKind(code), reason(path, err)}})
}

func (r *restoring) file(in batch.Input) error {
	kept, err := r.how.Restore(in)
	if err != nil {
		return r.failed(in.Path, err)
	}
	r.tally.done++
	v := restoreRecord{Path: in.Path, Backup: batch.BackupName(in.Path), Status: "restored", Kept: kept}
	if r.dryRun {
		v.Status = statusPlanned
	}
	text := fmt.Sprintf("%s -> %s", v.Backup, v.Path)
	if kept != "" {
		r.kept++
		text += fmt.Sprintf(" (the denoised picture is kept as %s)", kept)
	}
	r.u.say("%s", text)
	return r.tell(v)
}

// summary counts the files. Folders is the number of subfolders that were not searched.
func (r *restoring) summary(folders int) {
	total := int64(r.tally.done + len(r.tally.codes))
	what := "restored"
	if r.dryRun {
		what = "to restore"
	}
	text := fmt.Sprintf("%d of %s %s", r.tally.done, countOf(total, "file"), what)
	if total == 0 {
		text = "no backups found"
	}
	if r.kept > 0 {
		text += fmt.Sprintf(", %s kept", countOf(int64(r.kept), "denoised picture"))
	}
	if len(r.tally.codes) > 0 {
		text += fmt.Sprintf(", %d failed", len(r.tally.codes))
	}
	if folders > 0 {
		text += fmt.Sprintf("; %s not searched (see --recursive)", countOf(int64(folders), "subfolder"))
	}
	r.u.say("%s", text)
}
