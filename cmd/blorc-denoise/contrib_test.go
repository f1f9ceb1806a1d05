package main

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestSlurmSample runs the sample as Slurm would run the tasks of an array: together they do every file once.
func TestSlurmSample(t *testing.T) {
	sample, err := filepath.Abs("../../contrib/slurm/denoise.sbatch")
	if err != nil {
		t.Fatal(err)
	}
	script := "[!unix] skip 'a shell script'\nimage in/a.png 40x30\nimage in/sub/b.png 40x30\nimage in/c.png 40x30\n" +
		"env SLURM_ARRAY_TASK_COUNT=2\nenv SLURM_ARRAY_TASK_MIN=1\nenv SLURM_ARRAY_JOB_ID=7\n"
	for _, id := range []string{"1", "2"} {
		script += "env SLURM_ARRAY_TASK_ID=" + id + "\nexec sh " + sample + " in out\nexists denoise-7-" + id +
			".jsonl\n"
	}
	script += "exists out/a.png out/sub/b.png out/c.png\nexec sh -c 'cat denoise-7-*.jsonl | grep -c done'\nstdout " +
		"'^3$'\n"
	runScripts(t, map[string]string{"slurm": script})
}

// TestKubernetesSample runs the sample's arguments once for each index, with the sample's own count in the environment.
func TestKubernetesSample(t *testing.T) {
	text := readFile(t, "../../contrib/kubernetes/denoise.yaml")
	find := func(pattern string) string {
		m := regexp.MustCompile(pattern).FindStringSubmatch(text)
		if m == nil {
			t.Fatalf("no %s in the sample", pattern)
		}
		return m[1]
	}
	count := find(`\n +completions: (\d+)`)
	if set := find(`JOB_COMPLETIONS\n +value: "(\d+)"`); set != count {
		t.Errorf("JOB_COMPLETIONS is %s, completions is %s", set, count)
	}
	args := strings.ReplaceAll(strings.ReplaceAll(find(`args: \[(.*)\]`), `"`, ""), ",", "")
	args = strings.ReplaceAll(args, "/data/", "")
	script := "image noisy/a.png 40x30\nimage noisy/b/c.png 40x30\nenv JOB_COMPLETIONS=" + count + "\n"
	for i := range len("01234567") {
		script += "env JOB_COMPLETION_INDEX=" + string(rune('0'+i)) + "\nexec blorc-denoise " + args + "\n"
	}
	runScripts(t, map[string]string{"kubernetes": script + "exists denoised/a.png denoised/b/c.png\n"})
}
