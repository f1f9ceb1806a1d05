package batch

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// Shard is one of several runs that share a batch. The zero value does the whole batch.
type Shard struct {
	Index, Count int // Index counts from 0
}

// Takes says whether a file with this relative path belongs to the shard. Each file belongs to exactly one of the Count
// shards, which depends on the path only, and is the same on all systems.
func (s Shard) Takes(rel string) bool {
	if s.Count <= 1 {
		return true
	}
	sum := sha256.Sum256([]byte(filepath.ToSlash(rel)))
	return binary.BigEndian.Uint64(sum[:])%uint64(s.Count) == uint64(s.Index)
}

// ParseShard reads "2/8", the second of eight, or "auto", which takes the shard from the environment of a Slurm job
// array, of the tasks of a Slurm step, or of an indexed Kubernetes job. Kubernetes does not tell a pod how many pods
// there are, so the job has to set JOB_COMPLETIONS to its number of completions.
func ParseShard(text string, getenv func(string) string) (Shard, error) {
	if text == "auto" {
		return shardOf(getenv)
	}
	index, count, ok := strings.Cut(text, "/")
	i, err1 := strconv.Atoi(index)
	n, err2 := strconv.Atoi(count)
	if !ok || err1 != nil || err2 != nil || i < 1 || i > n {
		return Shard{}, fmt.Errorf("%q is neither I/N, with I from 1 to N, nor auto", text)
	}
	return Shard{i - 1, n}, nil
}

// places names, for each system, the variables that number the processes. Without a name, first is 0 and step is 1.
var places = []struct{ index, count, first, step string }{
	{"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_STEP"},
	{"JOB_COMPLETION_INDEX", "JOB_COMPLETIONS", "", ""},
	{"SLURM_PROCID", "SLURM_NTASKS", "", ""},
}

func shardOf(getenv func(string) string) (Shard, error) {
	for _, p := range places {
		if getenv(p.index) == "" {
			continue
		}
		var err error
		number := func(name string, otherwise int) int {
			text := getenv(name)
			if name == "" || text == "" && otherwise >= 0 {
				return otherwise
			}
			v, e := strconv.Atoi(text)
			if e != nil && err == nil {
				err = fmt.Errorf("auto: %s is %q, not a number", name, text)
			}
			return v
		}
		index, count := number(p.index, -1), number(p.count, -1)
		first, step := number(p.first, 0), number(p.step, 1)
		if err != nil {
			return Shard{}, err
		}
		s := Shard{(index - first) / max(1, step), count}
		if s.Index < 0 || s.Index >= s.Count {
			return Shard{}, fmt.Errorf("auto: %s %d is not one of %d in a row; give --shard I/N", p.index, index, count)
		}
		return s, nil
	}
	return Shard{}, fmt.Errorf("auto: there is no %s, %s or %s in the environment", places[0].index, places[1].index,
		places[2].index)
}
