package watch

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
)

// The two processes exchange lines of JSON. The parent sends a task; the child reads the file and sends a reply with
// its digest; the parent answers with a task that has Folder and Out; the child works and sends a reply without digest.
// If reading fails, or Out is empty, the second half is left out.
type task struct {
	Folder fileName `json:",omitempty"` // the input folder, or the output folder
	In     fileName `json:",omitempty"`
	Stamp  Stamp
	Out    fileName `json:",omitempty"`
}

type reply struct {
	Sum  *Sum   `json:",omitempty"`
	Kind string `json:",omitempty"` // kind of the error, "" if there is none
	Text string `json:",omitempty"`
}

// The kinds of error that keep their meaning between the processes. The first that fits counts.
var kinds = []struct {
	name string
	err  error
}{
	{"refused", ErrRefused}, {"changing", ErrChanging}, {"exists", fs.ErrExist}, {"missing", fs.ErrNotExist},
	{"crashed", ErrCrashed}, {"full", errFull},
}

func replyOf(text string, err error) reply {
	if err == nil {
		return reply{Text: text}
	}
	err = markFull(err)
	for _, k := range kinds {
		if errors.Is(err, k.err) {
			return reply{Kind: k.name, Text: err.Error()}
		}
	}
	return reply{Kind: "other", Text: err.Error()}
}

func (r reply) result() (text string, err error) {
	if r.Kind == "" {
		return r.Text, nil
	}
	err = errors.New(r.Text)
	for _, k := range kinds {
		if k.name == r.Kind {
			err = &kinded{k.err, r.Text, err}
		}
	}
	return "", err
}

// Serve is the child's side of Child: it takes tasks from in until in ends, does them, and replies on out. When in
// ends, the parent is gone. Then the process ends at once, even in the middle of a job, so that it does not work on
// what the next daemon may have begun again. A panic in work ends the process too.
func Serve(in io.Reader, out io.Writer, work Work, maxBytes int64) error {
	tasks := make(chan task)
	go func() {
		defer close(tasks)
		d := json.NewDecoder(in)
		for {
			var t task
			if err := d.Decode(&t); err != nil {
				exit(0)
				return
			}
			tasks <- t
		}
	}()
	replies := json.NewEncoder(out)
	for t := range tasks {
		if err := serveOne(t, tasks, replies, work, limit(maxBytes)); err != nil {
			return err
		}
	}
	return nil
}

var exit = os.Exit // replaced in tests

func serveOne(t task, tasks <-chan task, replies *json.Encoder, work Work, max int64) error {
	in := Source{string(t.Folder), string(t.In), t.Stamp}
	data, sum, err := readStill(in, max)
	if err != nil {
		return replies.Encode(replyOf("", err))
	}
	if err := replies.Encode(reply{Sum: &sum}); err != nil {
		return err
	}
	answer, ok := <-tasks
	if !ok || answer.Out == "" {
		return nil
	}
	if data == nil {
		return replies.Encode(replyOf("", tooLarge(max)))
	}
	out, err := Target{string(answer.Folder), string(answer.Out)}.open()
	if err != nil {
		return replies.Encode(replyOf("", err))
	}
	defer out.Root.Close()
	text, err := work(context.Background(), in.Path(), data, out)
	return replies.Encode(replyOf(text, err))
}
