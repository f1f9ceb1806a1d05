//go:build hosts

package test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

func TestFFmpeg(t *testing.T) {
	t.Parallel()
	dir := draw(t, "rgb8.png")
	host(t, dir, nil, "ffmpeg", "-v", "error", "-loop", "1", "-i", "rgb8.png", "-f", "lavfi", "-i",
		"sine=frequency=440", "-frames:v", "4", "-t", "0.4", "-r", "10",
		"-c:v", "ffv1", "-pix_fmt", "gbrp", "-c:a", "pcm_s16le", "in.mkv")
	env := []string{"ENCODER=-c:v ffv1 -pix_fmt gbrp"}
	host(t, dir, env, "sh", contrib+"/ffmpeg/blorc-ffmpeg.sh", "in.mkv", "out.mkv", "--sigma", "20", "--quality",
		"fast")
	streams := host(t, dir, nil, "ffprobe", "-v", "error", "-count_frames", "-show_entries",
		"stream=codec_type,nb_read_frames,avg_frame_rate", "-of", "csv=p=0", "out.mkv")
	contains(t, streams, "video,10/1,4")
	contains(t, streams, "audio")
	host(t, dir, nil, "ffmpeg", "-v", "error", "-i", "out.mkv", "frame%d.png")
	want := direct(t, dir, "rgb8.png", "want.png", "--sigma=20", "--quality=fast")
	for i := range 4 {
		same(t, fmt.Sprintf("%s/frame%d.png", dir, i+1), want, 0)
	}
	must.Do(t, os.Rename(dir+"/in.mkv", dir+"/-10:30.mkv"))
	host(t, dir, env, "sh", contrib+"/ffmpeg/blorc-ffmpeg.sh", "-10:30.mkv", "-10:31.mkv", "--sigma", "20", "--quality",
		"fast")
	for _, name := range []string{"-10:30.mkv", "-10:31.mkv"} {
		before := must.Get(os.ReadFile(dir + "/" + name))(t)
		out, err := tryHost(dir, env, "sh", contrib+"/ffmpeg/blorc-ffmpeg.sh", "-10:30.mkv", name, "--sigma", "20",
			"--quality", "fast")
		if err == nil {
			t.Errorf("%s was there, and that is no error", name)
		}
		contains(t, out, name+" exists")
		if after, err := os.ReadFile(dir + "/" + name); err != nil || !bytes.Equal(after, before) {
			t.Errorf("%s was changed", name)
		}
	}
	out, err := tryHost(dir, env, "sh", contrib+"/ffmpeg/blorc-ffmpeg.sh", "-10:30.mkv", "no.mkv", "--sigma", "-1")
	if err == nil {
		t.Error("a wrong flag is no error")
	}
	contains(t, out, "must be a number of gray levels")
	if _, err := os.Stat(dir + "/no.mkv"); err == nil {
		t.Error("a failure leaves an output")
	}
}

// A signal to the script ends the programs that it runs, too, and leaves no file. That of another run stays.
func TestFFmpegInterrupted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	host(t, dir, nil, "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=320x240:rate=25:duration=20", "-c:v",
		"libx264", "-preset", "ultrafast", "in.mkv")
	must.Do(t, os.MkdirAll(dir+"/temp", 0o777))
	must.Do(t, os.MkdirAll(dir+"/.blorc-denoise.others", 0o777))
	heard := make(chan os.Signal, 1) // so that the script does not inherit that a signal is ignored, as below nohup
	signal.Notify(heard, syscall.SIGHUP, syscall.SIGINT)
	defer signal.Stop(heard)
	for sig, code := range map[syscall.Signal]int{syscall.SIGHUP: 129, syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		c := exec.Command("sh", contrib+"/ffmpeg/blorc-ffmpeg.sh", "in.mkv", "out.mkv", "--quality", "fast")
		c.Dir, c.Env = dir, append(os.Environ(), "TMPDIR="+dir+"/temp")
		c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		must.Do(t, c.Start())
		for range 200 { // until the programs run
			if logs, _ := filepath.Glob(dir + "/temp/*/log"); logs != nil {
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
		time.Sleep(500 * time.Millisecond)
		must.Do(t, c.Process.Signal(sig))
		c.Wait()
		if got := c.ProcessState.ExitCode(); got != code {
			t.Errorf("%v: exit code %d, not %d", sig, got, code)
		}
		if syscall.Kill(-c.Process.Pid, 0) == nil {
			t.Errorf("%v: a program goes on", sig)
		}
		for _, place := range []struct{ dir, want string }{{dir, ".blorc-denoise.others in.mkv temp"},
			{dir + "/temp", ""}} {
			var names []string
			left := must.Get(os.ReadDir(place.dir))(t)
			for _, e := range left {
				names = append(names, e.Name())
			}
			if got := strings.Join(names, " "); got != place.want {
				t.Errorf("%v: %q is there, not %q", sig, got, place.want)
			}
		}
	}
}

// A film that is cut short, or damaged inside, gives what can be read, and that is no success.
func TestFFmpegDamaged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	host(t, dir, nil, "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=64x48:rate=10:duration=1", "-c:v",
		"ffv1", "-slicecrc", "1", "-level", "3", "in.mkv")
	film := must.Get(os.ReadFile(dir + "/in.mkv"))(t)
	write(t, dir+"/short.mkv", string(film[:len(film)/2]))
	copy(film[len(film)/2:], "damaged damaged damaged damaged")
	write(t, dir+"/wrong.mkv", string(film))
	for _, name := range []string{"short", "wrong"} {
		out, err := tryHost(dir, nil, "sh", contrib+"/ffmpeg/blorc-ffmpeg.sh", name+".mkv", name+"-out.mkv", "--noise",
			"none")
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 3 {
			t.Errorf("%s: %v, not exit code 3", name, err)
		}
		contains(t, out, name+"-out.mkv is written, but "+name+".mkv is damaged")
		contains(t, out, "@ 0x") // a message of ffmpeg
		host(t, dir, nil, "ffprobe", "-v", "error", name+"-out.mkv")
	}
}

// A film with 20 pictures in one second and 4 in the next, and one that begins after its sound, stay in step with the
// sound.
func TestFFmpegTimes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const sound = "sine=duration=2"
	host(t, dir, nil, "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=48x32:rate=20:duration=2", "-f",
		"lavfi", "-i", sound,
		"-vf", "select='lt(n,20)+not(mod(n,5))'", "-vsync", "vfr", "-c:v", "ffv1", "-c:a", "pcm_s16le", "varies.mkv")
	host(t, dir, nil, "ffmpeg", "-v", "error", "-itsoffset", "0.5", "-f", "lavfi", "-i",
		"testsrc2=size=48x32:rate=20:duration=1.5", "-f", "lavfi", "-i", sound,
		"-c:v", "ffv1", "-c:a", "pcm_s16le", "late.mkv")
	for name, frames := range map[string]string{"varies": "36", "late": "40"} { // the last picture begins at 1.75
		host(t, dir, []string{"ENCODER=-c:v ffv1"}, "sh", contrib+"/ffmpeg/blorc-ffmpeg.sh", name+".mkv",
			name+"-out.mkv", "--noise", "none")
		out := host(t, dir, nil, "ffprobe", "-v", "error", "-count_frames", "-show_entries",
			"stream=codec_type,r_frame_rate,nb_read_frames", "-of", "csv=p=0", name+"-out.mkv")
		contains(t, out, "video,20/1,"+frames)
	}
	// The second 1.25 shows the picture of that second in all of them.
	var frames []string
	for _, name := range []string{"varies", "varies-out"} {
		host(t, dir, nil, "ffmpeg", "-v", "error", "-i", name+".mkv", "-vf", "fps=20", "-frames:v", "1", "-ss", "1.25",
			"-pix_fmt", "rgb24", name+".png")
		frames = append(frames, dir+"/"+name+".png")
	}
	same(t, frames[1], frames[0], 3)
}

// Tagged films keep their tags and samples, of BT.709 and full range too, and films without tags get none.
func TestFFmpegColours(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	yuv := func(name string) []byte {
		host(t, dir, nil, "ffmpeg", "-v", "error", "-i", name, "-frames:v", "1", "-pix_fmt", "yuv444p", "-f",
			"rawvideo", name+".yuv")
		samples := must.Get(os.ReadFile(dir + "/" + name + ".yuv"))(t)
		return []byte{samples[0], samples[32*32], samples[2*32*32]}
	}
	tags := func(name string) string {
		return host(t, dir, nil, "ffprobe", "-v", "error", "-show_entries",
			"stream=color_range,color_space,color_transfer,color_primaries", "-of", "csv=p=0", name)
	}
	for i, filter := range []string{
		"scale=out_color_matrix=bt709,format=yuv420p," +
			"setparams=range=tv:colorspace=bt709:color_primaries=bt709:color_trc=bt709",
		"scale=out_color_matrix=bt709:out_range=pc,format=yuv420p,setparams=range=pc:colorspace=bt709",
		"format=yuv420p,setparams=range=tv",
	} {
		in, out := fmt.Sprintf("in%d.mkv", i), fmt.Sprintf("out%d.mkv", i)
		host(t, dir, nil, "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "color=c=red:size=32x32:rate=5:duration=0.2",
			"-vf", filter, "-c:v", "libx264", "-qp", "4", in)
		host(t, dir, nil, "sh", contrib+"/ffmpeg/blorc-ffmpeg.sh", in, out, "--noise", "none")
		if got, want := tags(out), tags(in); got != want {
			t.Errorf("tags %q, not %q", got, want)
		}
		got, want := yuv(out), yuv(in)
		for c := range want {
			if d := int(got[c]) - int(want[c]); d < -2 || d > 2 {
				t.Errorf("%s: samples %d, not %d", filter, got, want)
			}
		}
	}
	// An output of RGB must not say that it has a matrix.
	host(t, dir, []string{"ENCODER=-c:v libx264rgb -pix_fmt rgb24"}, "sh", contrib+"/ffmpeg/blorc-ffmpeg.sh", "in0.mkv",
		"rgb.mkv", "--noise", "none")
	contains(t, tags("rgb.mkv"), "pc,gbr,bt709,bt709")
}

// Films as phones make them: the pictures are turned by a tag.
func TestFFmpegRotated(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	host(t, dir, nil, "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=96x64:rate=10:duration=0.3", "-c:v",
		"ffv1", "in.mkv")
	host(t, dir, nil, "ffmpeg", "-v", "error", "-i", "in.mkv", "-c:v", "libx264", "-qp", "0", "-pix_fmt", "yuv444p",
		"upright.mp4")
	host(t, dir, nil, "ffmpeg", "-v", "error", "-i", "upright.mp4", "-c", "copy", "-metadata:s:v", "rotate=90",
		"turned.mp4")
	host(t, dir, []string{"ENCODER=-c:v ffv1 -pix_fmt gbrp"}, "sh", contrib+"/ffmpeg/blorc-ffmpeg.sh", "turned.mp4",
		"out.mkv", "--noise", "none")
	for _, name := range []string{"turned.mp4", "out.mkv"} {
		host(t, dir, nil, "ffmpeg", "-v", "error", "-i", name, "-frames:v", "1", "-pix_fmt", "rgb24", name+".png")
	}
	if a := read(t, dir+"/out.mkv.png")[0]; a.Width != 64 || a.Height != 96 {
		t.Errorf("%d x %d", a.Width, a.Height)
	}
	same(t, dir+"/out.mkv.png", dir+"/turned.mp4.png", 0)
}

func TestVips(t *testing.T) {
	t.Parallel()
	dir := draw(t, "rgb16.png", "float.tif")
	host(t, dir, nil, "vips", "system", "blorc-denoise -q --sigma 20 --quality fast %s -o %s", "--in", "rgb16.png",
		"--out", "a.png", "--in-format", "%s.tif", "--out-format", "%s.tif")
	same(t, dir+"/a.png", direct(t, dir, "rgb16.png", "want-a.png", "--sigma=20", "--quality=fast"), 0)
	host(t, dir, nil, "vips", "system", "blorc-denoise -q --quality fast %s -o %s", "--in", "float.tif", "--out",
		"b.tif", "--in-format", "%s.tif", "--out-format", "%s.tif")
	same(t, dir+"/b.tif", direct(t, dir, "float.tif", "want-b.tif", "--quality=fast"), 0)
}

func TestImageMagick(t *testing.T) {
	t.Parallel()
	dir := draw(t, "rgb16.png")
	env := []string{"MAGICK_CONFIGURE_PATH=" + contrib + "/imagemagick"}
	host(t, dir, env, "convert", "blorc:rgb16.png", "a.png")
	same(t, dir+"/a.png", direct(t, dir, "rgb16.png", "want.png"), 0)
}

// The script for Nautilus, Nemo and Caja, and the entries for other file managers.
func TestFileManagers(t *testing.T) {
	t.Parallel()
	dir := draw(t, "rgb8.png", "gray8.png")
	must.Do(t, os.Rename(dir+"/rgb8.png", dir+"/with a 'space.png"))
	script := contrib + "/filemanagers/blorc-denoise.sh"
	for _, name := range []string{"NAUTILUS", "NEMO", "CAJA"} {
		host(t, dir, []string{name + "_SCRIPT_SELECTED_FILE_PATHS=" + dir + "/with a 'space.png\n" + dir +
			"/gray8.png\n"}, script)
		for _, base := range []string{"with a 'space", "gray8"} {
			same(t, dir+"/"+base+"-denoised.png", direct(t, dir, base+".png", name+base+".png"), 0)
			must.Do(t, os.Remove(dir+"/"+base+"-denoised.png"))
		}
	}
	host(t, dir, nil, script, dir+"/gray8.png") // as Dolphin does
	same(t, dir+"/gray8-denoised.png", dir+"/CAJAgray8.png", 0)
	sameFolder(t, dir, nil, script)
	out, err := tryHost(dir, nil, script, dir+"/missing.png")
	if err == nil {
		t.Error("a missing file is no error")
	}
	contains(t, out, "missing.png: no such file")
	// The notification names what failed first, however much was done after it.
	bin, notified := notifier(t, "notify-send", dir)
	must.Do(t, os.Mkdir(dir+"/below", 0o777))
	must.Do(t, os.Rename(dir+"/gray8.png", dir+"/below/gray8.png"))
	tryHost(dir, []string{bin}, script, dir+"/missing.png", dir+"/below", dir+"/with a 'space.png")
	contains(t, notified(), "-- blorc-denoise failed blorc-denoise: "+dir+"/missing.png: no such file")
	// Folders alone are no empty list of files.
	must.Do(t, os.RemoveAll(dir+"/below-denoised"))
	host(t, dir, []string{bin}, script, dir+"/below")
	if text := notified(); !strings.HasPrefix(text, "-- Images denoised "+dir+"/below/gray8.png -> ") ||
		strings.Contains(text, "no PNG") {
		t.Errorf("notified %q", text)
	}
	host(t, dir, nil, "desktop-file-validate", contrib+"/filemanagers/blorc-denoise.desktop")
}

// notifier returns a PATH with a stand-in for a program that shows messages, and what returns its arguments.
func notifier(t *testing.T, name, dir string) (string, func() string) {
	t.Helper()
	bin := t.TempDir()
	write(t, bin+"/"+name, "#!/bin/sh\necho \"$*\" >'"+dir+"/notified'\n")
	must.Do(t, os.Chmod(bin+"/"+name, 0o777))
	return "PATH=" + bin + ":" + os.Getenv("PATH"), func() string {
		text := must.Get(os.ReadFile(dir + "/notified"))(t)
		return string(text)
	}
}

// sameFolder runs a command on a folder: the results are in a folder beside it.
func sameFolder(t *testing.T, dir string, env []string, command ...string) {
	t.Helper()
	const name = "-a 'folder [1]"
	below := filepath.Join(dir, name, "below")
	must.Do(t, os.MkdirAll(below, 0o777))
	must.Do(t, os.Rename(draw(t, "gray8.png")+"/gray8.png", below+"/gray8.png"))
	host(t, dir, env, command[0], append(command[1:], dir+"/"+name)...)
	same(t, dir+"/"+name+"-denoised/below/gray8.png", direct(t, below, "gray8.png", "want.png"), 0)
	must.Do(t, os.RemoveAll(dir+"/"+name))
	must.Do(t, os.RemoveAll(dir+"/"+name+"-denoised"))
}

// digiKam's Batch Queue Manager cannot be run without its window. This does what it does with the line of the README:
// it quotes the names, makes an empty output, and runs /bin/sh.
func TestDigikam(t *testing.T) {
	t.Parallel()
	dir := draw(t, "rgb16.png")
	text := must.Get(os.ReadFile(contrib + "/digikam/README.md"))(t)
	_, line, ok := strings.Cut(string(text), "Use the script `")
	line, _, ok2 := strings.Cut(line, "`")
	if !ok || !ok2 {
		t.Fatal("no script in the README")
	}
	write(t, dir+"/out.png", "")
	line = strings.NewReplacer("$INPUT", `"`+dir+`/rgb16.png"`, "$OUTPUT", `"`+dir+`/out.png"`).Replace(line)
	host(t, dir, nil, "/bin/sh", "-c", line)
	same(t, dir+"/out.png", direct(t, dir, "rgb16.png", "want.png", "--quality=fast"), 0)
}

// The script of the quick action for the Finder is taken out of its property list and run in other shells.
func TestFinder(t *testing.T) {
	t.Parallel()
	dir := draw(t, "rgb8.png")
	must.Do(t, os.Rename(dir+"/rgb8.png", dir+"/a picture.png"))
	for _, name := range []string{"Info.plist", "document.wflow"} {
		text := must.Get(os.ReadFile(contrib + "/macos/Denoise.workflow/Contents/" + name))(t)
		must.Do(t, xml.Unmarshal(text, new(struct{})))
		host(t, dir, nil, "/usr/bin/python3", "-c", "import plistlib, sys; plistlib.load(open(sys.argv[1], 'rb'))",
			contrib+"/macos/Denoise.workflow/Contents/"+name)
	}
	host(t, dir, nil, "/usr/bin/python3", "-c", `
import plistlib, sys
with open(sys.argv[1], "rb") as f:
    action = plistlib.load(f)["actions"][0]["action"]
open("script", "w").write(action["ActionParameters"]["COMMAND_STRING"])`, contrib+"/macos/Denoise.workflow/Contents/document.wflow")
	want := direct(t, dir, "a picture.png", "want.png")
	for _, shell := range []string{"sh", "bash"} {
		host(t, dir, []string{"BLORC_DENOISE=" + program}, shell, "script", dir+"/a picture.png")
		same(t, dir+"/a picture-denoised.png", want, 0)
		must.Do(t, os.Remove(dir+"/a picture-denoised.png"))
		sameFolder(t, dir, []string{"BLORC_DENOISE=" + program}, shell, "script")
	}
	out, err := tryHost(dir, []string{"BLORC_DENOISE=" + program}, "sh", "script", dir+"/missing.png")
	if err == nil {
		t.Error("a missing file is no error")
	}
	contains(t, out, "missing.png: no such file")
	// The dialog names what failed first, however much was done after it.
	bin, notified := notifier(t, "osascript", dir)
	must.Do(t, os.Mkdir(dir+"/below", 0o777))
	must.Do(t, os.Rename(dir+"/a picture.png", dir+"/below/a picture.png"))
	write(t, dir+"/empty/nothing.txt", "")
	tryHost(dir, []string{"BLORC_DENOISE=" + program, bin}, "sh", "script", dir+"/missing.png", dir+"/below",
		dir+"/empty", dir+"/empty", dir+"/empty")
	contains(t, notified(), `display dialog "blorc-denoise: `+dir+"/missing.png: no such file")
	// Folders alone are no empty list of files.
	must.Do(t, os.RemoveAll(dir+"/below-denoised"))
	write(t, dir+"/below/wrong.png", "wrong")
	tryHost(dir, []string{"BLORC_DENOISE=" + program, bin}, "sh", "script", dir+"/below")
	if text := notified(); !strings.Contains(text, "1 of 2 files done") ||
		strings.Contains(text, "no PNG, JPEG, TIFF, WebP, BMP or PNM files") {
		t.Errorf("shown: %s", text)
	}
}

func TestGo(t *testing.T) {
	t.Parallel()
	dir := draw(t, "rgb8.png")
	out := host(t, contrib+"/go", nil, "go", "run", ".", dir+"/rgb8.png", dir+"/out.png")
	contains(t, out, "removed white noise")
	if a := read(t, dir+"/out.png")[0]; a.Width != width || a.Height != height {
		t.Errorf("%d x %d", a.Width, a.Height)
	}
}

// All Python files compile, and the two copies of the TIFF code are one.
func TestPythonCompiles(t *testing.T) {
	t.Parallel()
	files := must.Get(filepath.Glob(contrib + "/*/*.py"))(t)
	more := must.Get(filepath.Glob(contrib + "/*/*/*.py"))(t)
	files = append(files, more...)
	if len(files) < 6 {
		t.Fatalf("only %d files: %q", len(files), files)
	}
	host(t, t.TempDir(), []string{"PYTHONPYCACHEPREFIX=" + t.TempDir()}, "/usr/bin/python3",
		append([]string{"-m", "py_compile"}, files...)...)
	a := must.Get(os.ReadFile(contrib + "/krita/blorc_denoise/blorc_tiff.py"))(t)
	b := must.Get(os.ReadFile(contrib + "/gimp-3/blorc-denoise/blorc_tiff.py"))(t)
	if string(a) != string(b) {
		t.Error("the two copies of blorc_tiff.py differ")
	}
}
