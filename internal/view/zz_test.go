package view

import (
	"context"
	goimage "image"
	"os"
	"runtime"
	"runtime/pprof"
	"syscall"
	"testing"
	"time"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
)

func cpu() time.Duration {
	var r syscall.Rusage
	syscall.Getrusage(0, &r)
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

func TestZZ(t *testing.T) {
	f := os.Getenv("ZZ")
	if f == "" {
		t.Skip()
	}
	c := cpu()
	t0 := time.Now()
	lap := func(n string) { t.Logf("%-12s cpu %v wall %v", n, cpu()-c, time.Since(t0)); c = cpu(); t0 = time.Now() }
	img, err := imageio.Read(f, imageio.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	lap("read")
	seen := goimage.Rect((img.Width-1100)/2+550, (img.Height-850)/2, (img.Width-1100)/2+1100, (img.Height-850)/2+850)
	r := newRun(1, newPicture(0, 0, 1, img), settings{}, denoise.Options{}, 1)
	around := r.aroundFirst(seen)
	lap("around")
	near := cut(img, around)
	lap("cut")
	o := denoise.FileOptions{}
	if p := os.Getenv("ZZC"); p != "" {
		w, _ := os.Create(p)
		a, _ := denoise.Analyse(context.Background(), near, o)
		lap("analyse")
		runtime.SetCPUProfileRate(1000)
		pprof.StartCPUProfile(w)
		o := denoise.Options{Quality: denoise.Fast}
		if _, err := a.Part(context.Background(), near, goimage.Rect(100, 100, 110, 110), margin, o); err != nil {
			t.Fatal(err)
		}
		lap("little")
		if _, err := a.Part(context.Background(), near, goimage.Rect(100, 100, 110, 110), margin, o); err != nil {
			t.Fatal(err)
		}
		lap("little")
		if _, err := a.Part(context.Background(), near, strips(seen)[0].Sub(around.Min), margin, o); err != nil {
			t.Fatal(err)
		}
		lap("strip")
		if _, err := a.Part(context.Background(), near, strips(seen)[0].Sub(around.Min), margin, o); err != nil {
			t.Fatal(err)
		}
		lap("strip")
		pprof.StopCPUProfile()
		w.Close()
		return
	}
	for i := range 3 {
		a, err := denoise.Analyse(context.Background(), near, o)
		lap("analyse")
		if err != nil {
			t.Fatal(err)
		}
		t.Log(a.Result())
		o := denoise.Options{Quality: denoise.Fast}
		for _, s := range strips(seen) {
			if _, err := a.Part(context.Background(), near, s.Sub(around.Min), margin, o); err != nil {
				t.Fatal(err)
			}
			lap("strip")
		}
		_ = i
	}
	if p := os.Getenv("ZZP"); p != "" {
		w, _ := os.Create(p)
		pprof.StartCPUProfile(w)
		for range 10 {
			denoise.Analyse(context.Background(), near, o)
		}
		pprof.StopCPUProfile()
		w.Close()
	}
}
