package watch_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/blorc-denoise/blorc-denoise/watch"
)

// A worker process is this program again. A real one would look at its flags in main.
func init() {
	if os.Getenv("EXAMPLE_WORKER") != "" {
		watch.Serve(os.Stdin, os.Stdout, louder, 0)
		os.Exit(0)
	}
}

func louder(_ context.Context, _ string, data []byte, to watch.Output) (string, error) {
	return "louder", to.Root.WriteFile(to.Name, bytes.ToUpper(data), 0o666) // a real one writes safely, see Work
}

// A daemon makes a file in the output folder of each file that comes into the input folder. With Once it returns when
// there is nothing left to do.
func Example() {
	dir, err := os.MkdirTemp("", "watch")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	if err := os.Mkdir(in, 0o777); err != nil {
		fmt.Println(err)
		return
	}
	if err := os.WriteFile(filepath.Join(in, "a.txt"), []byte("quiet"), 0o666); err != nil {
		fmt.Println(err)
		return
	}
	worker := func() *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "EXAMPLE_WORKER=1")
		return cmd
	}
	d, err := watch.New(watch.Options{In: in, Out: out, Params: "louder 1", Runner: &watch.Child{Command: worker},
		Settle: 10 * time.Millisecond, Once: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Close()
	summary, err := d.Run(context.Background())
	fmt.Println(summary.Done, "done,", summary.Failed, "failed,", err)
	text, _ := os.ReadFile(filepath.Join(out, "a.txt"))
	fmt.Println(string(text))
	// Output:
	// 1 done, 0 failed, <nil>
	// QUIET
}
