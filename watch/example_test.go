package watch_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/blorc-denoise/blorc-denoise/watch"
)

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
	louder := func(_ context.Context, _ string, data []byte, to watch.Output) (string, error) {
		return "louder", to.Root.WriteFile(to.Name, bytes.ToUpper(data), 0o666) // a real one writes safely, see Work
	}
	d, err := watch.New(watch.Options{In: in, Out: out, Params: "louder 1", Runner: watch.Local{Work: louder},
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
