package main

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/scene/scenetest"
)

// An address that is in use is no fault of the program.
func TestAddressInUse(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	t.Chdir(t.TempDir())
	drawn := scenetest.Draw(40, 40)
	img := &imageio.Image{Width: 40, Height: 40, Planes: drawn[:1], Depth: imageio.Depth8, Format: imageio.PNG}
	if err := errors.Join(os.Mkdir("in", 0o777), imageio.Write("in/a.png", img, imageio.WriteOptions{})); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"watch", "in", "out", "--once", "--metrics", ":" + port},
		{"view", "in/a.png", "--no-open", "--port", port},
	} {
		if code := run(context.Background(), args, io.Discard, io.Discard); code != exitIO {
			t.Errorf("%v: exit code %d", args, code)
		}
	}
}

// A client that does not send all of its request is hung up on.
func TestMetricsHangUp(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := metricsServer(http.NotFoundHandler())
	defer server.Close()
	go server.Serve(l)
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, "GET /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if err := c.SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(c); err != nil {
		t.Error(err)
	}
}
