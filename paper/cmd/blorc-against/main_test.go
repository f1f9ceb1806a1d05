package main

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/scene"
)

func TestTable(t *testing.T) {
	dir := t.TempDir()
	drawn := scene.Draw(64, 48)
	img := &imageio.Image{Width: 64, Height: 48, Planes: drawn[:], Depth: imageio.Depth8}
	if err := imageio.Write(filepath.Join(dir, "a.png"), img, imageio.WriteOptions{Format: imageio.PNG}); err != nil {
		t.Fatal(err)
	}
	for _, more := range [][]string{nil, {"--gray"}} {
		var out, messages bytes.Buffer
		args := append([]string{dir, "--sigma", "25", "--with", "dct,tv"}, more...)
		if code := run(context.Background(), args, &out, &messages); code != exitOK {
			t.Fatalf("exit code %d: %s", code, &messages)
		}
		for _, want := range []string{
			`image +noisy dB +SSIM +fast dB +SSIM +balanced dB +SSIM +best dB +SSIM +dct dB +SSIM +tv dB +SSIM`,
			` a.png +20\.\d\d +0\.\d{4}( +2\d\.\d\d +0\.\d{4}){5}`, ` mean +20\.\d\d`, `s/megapixel( +\d+\.\d\d){5}`,
		} {
			if !regexp.MustCompile(want).Match(out.Bytes()) {
				t.Errorf("no %s in\n%s", want, &out)
			}
		}
	}
}

func TestExitCodes(t *testing.T) {
	for _, c := range []struct {
		code int
		args []string
	}{
		{exitOK, []string{"--help"}},
		{exitUsage, []string{"--none"}},
		{exitUsage, []string{"--sigma", "25"}},
		{exitUsage, []string{"photos"}},
		{exitUsage, []string{"photos", "--sigma", "25", "--with", "bm4d"}},
		{exitFile, []string{t.TempDir(), "--sigma", "25"}},
		{exitFile, []string{filepath.Join(t.TempDir(), "none"), "--sigma", "25"}},
	} {
		if got := run(context.Background(), c.args, io.Discard, io.Discard); got != c.code {
			t.Errorf("%v: exit code %d, not %d", c.args, got, c.code)
		}
	}
}
