//go:build hosts

package test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// The comparison with other denoisers has a row for each of them. OpenCV can read the network that ONNX Runtime times.
func TestPeers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must.Do(t, os.CopyFS(dir, os.DirFS(contrib+"/peers")))
	must.Do(t, os.Symlink("/var/cache/blorc-denoise/onnx/node_modules", dir+"/node_modules"))
	out := host(t, dir, nil, "/usr/bin/python3", "-B", "compare.py", draw(t, "gray8.png"))
	for _, name := range []string{"noisy", "--quality fast", "--quality balanced", "--quality best", "OpenCV",
		"ImageMagick", "G'MIC", "ffmpeg", "FFDNet"} {
		contains(t, out, name)
	}
	// scikit-image may be installed
	if rows := strings.Count(out, "\n|"); rows != 10+strings.Count(out, "scikit-image") {
		t.Errorf("%d rows:\n%s", rows, out)
	}
	script := filepath.Join(dir, "read.py")
	write(t, script, `import cv2, numpy, compare
net = cv2.dnn.readNetFromONNX(numpy.frombuffer(compare.ffdnet(64, 32), numpy.uint8))
net.setInput(numpy.ones((1, 5, 16, 32), numpy.float32))
print(net.forward().shape, len(net.getUnconnectedOutLayersNames()))
`)
	contains(t, host(t, dir, nil, "/usr/bin/python3", "-B", script), "(1, 4, 16, 32) 1")
}
