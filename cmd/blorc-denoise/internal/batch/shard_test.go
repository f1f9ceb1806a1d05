package batch

import (
	"fmt"
	"testing"
)

func TestShardsAreAPartition(t *testing.T) {
	for _, n := range []int{1, 2, 3, 8} {
		counts := make([]int, n)
		for file := range 2000 {
			taken := 0
			for i := range n {
				if (Shard{i, n}).Takes(fmt.Sprintf("folder/%d.png", file)) {
					counts[i]++
					taken++
				}
			}
			if taken != 1 {
				t.Fatalf("file %d is taken by %d of %d", file, taken, n)
			}
		}
		for i, c := range counts {
			if mean := 2000 / n; c < mean*6/10 || c > mean*14/10 {
				t.Errorf("shard %d of %d takes %d", i, n, c)
			}
		}
	}
	// Runs of different versions and systems share a batch: the choice must not change.
	if !(Shard{3, 8}).Takes("a/b.png") {
		t.Error("a/b.png has moved to another shard")
	}
}

func TestParseShard(t *testing.T) {
	type env map[string]string
	tests := []struct {
		text string
		env  env
		want string // empty for an error
	}{
		{"1/1", nil, "1/1"}, {"3/8", nil, "3/8"}, {"0/8", nil, ""}, {"9/8", nil, ""}, {"a/b", nil, ""}, {"3", nil, ""},
		{"", nil, ""},
		{"auto", nil, ""},
		{"auto", env{"SLURM_ARRAY_TASK_ID": "3", "SLURM_ARRAY_TASK_COUNT": "8", "SLURM_ARRAY_TASK_MIN": "0"}, "4/8"},
		{"auto", env{"SLURM_ARRAY_TASK_ID": "8", "SLURM_ARRAY_TASK_COUNT": "8", "SLURM_ARRAY_TASK_MIN": "1"}, "8/8"},
		{"auto", env{"SLURM_ARRAY_TASK_ID": "7", "SLURM_ARRAY_TASK_COUNT": "3", "SLURM_ARRAY_TASK_MIN": "1",
			"SLURM_ARRAY_TASK_STEP": "3"}, "3/3"},
		// 3 and 7 of a larger array
		{"auto", env{"SLURM_ARRAY_TASK_ID": "7", "SLURM_ARRAY_TASK_COUNT": "2", "SLURM_ARRAY_TASK_MIN": "3"}, ""},
		{"auto", env{"SLURM_ARRAY_TASK_ID": "x", "SLURM_ARRAY_TASK_COUNT": "2"}, ""},
		{"auto", env{"JOB_COMPLETION_INDEX": "0", "JOB_COMPLETIONS": "5"}, "1/5"},
		{"auto", env{"JOB_COMPLETION_INDEX": "0"}, ""},
		{"auto", env{"JOB_COMPLETION_INDEX": "5", "JOB_COMPLETIONS": "5"}, ""},
		{"auto", env{"SLURM_PROCID": "1", "SLURM_NTASKS": "4"}, "2/4"},
		{"auto", env{"SLURM_ARRAY_TASK_ID": "1", "SLURM_ARRAY_TASK_COUNT": "2", "SLURM_PROCID": "0",
			"SLURM_NTASKS": "1"}, "2/2"},
	}
	for _, test := range tests {
		s, err := ParseShard(test.text, func(name string) string { return test.env[name] })
		if (err == nil) != (test.want != "") || err == nil && fmt.Sprintf("%d/%d", s.Index+1, s.Count) != test.want {
			t.Errorf("%s in %v: %v, %v; want %q", test.text, test.env, s, err, test.want)
		}
	}
}
