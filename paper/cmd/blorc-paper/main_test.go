package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestUsage(t *testing.T) {
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"", 2, "-o DIR is needed"}, {"-o x --effort 2", 2, "effort 2"}, {"-o x --quick --page", 2, "exclude"},
		{"-o x --only nothing", 2, "nothing"}, {"-o x y", 2, "unexpected"},
		{"-o x --bad", 2, "bad"}, {"-o x --only set12", 2, "--data"}, {"--help", 0, "conventions"},
	} {
		var out bytes.Buffer
		if code := run(context.Background(), strings.Fields(c.args), &out, &out); code != c.code ||
			!strings.Contains(out.String(), c.says) {
			t.Errorf("%q: code %d\n%s", c.args, code, out.String())
		}
	}
}

func TestOneExperimentAndResume(t *testing.T) {
	dir := t.TempDir()
	var out, messages bytes.Buffer
	args := []string{"-o", dir, "--quick", "--only", "conventions"}
	if code := run(context.Background(), args, &out, &messages); code != 0 {
		t.Fatal(messages.String())
	}
	first, err := os.ReadFile(filepath.Join(dir, "sections", "conventions.json"))
	if err != nil {
		t.Fatal(err)
	}
	if code := run(context.Background(), args, &out, &messages); code != 0 {
		t.Fatal(messages.String())
	}
	second, _ := os.ReadFile(filepath.Join(dir, "sections", "conventions.json"))
	page, err := os.ReadFile(filepath.Join(dir, "report.html"))
	if err != nil || !bytes.Contains(page, []byte("Lemma blockmat")) || !bytes.Equal(first, second) {
		t.Errorf("the section was computed again, or is not in the page: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if code := run(ctx, []string{"-o", dir, "--quick", "--only", "patterns"}, &out, &messages); code != 130 {
		t.Errorf("code %d after an interruption", code)
	}
	if code := run(context.Background(), []string{"-o", dir, "--quick", "--only", "urban", "--data", dir}, &out,
		&messages); code != 6 {
		t.Errorf("code %d without the images", code)
	}
}
