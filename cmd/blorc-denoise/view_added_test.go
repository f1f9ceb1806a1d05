package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/must"
	"github.com/blorc-denoise/blorc-denoise/internal/scene/scenetest"
)

// pageOf is a view that runs for a test.
type pageOf struct {
	t        *testing.T
	address  string
	messages *bytes.Buffer
	end      func() int
}

// startView runs view without a browser.
func startView(t *testing.T, words ...string) *pageOf {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	out, in := io.Pipe()
	p := &pageOf{t: t, messages: &bytes.Buffer{}}
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, append([]string{"view", "--no-open"}, words...), in, p.messages)
		in.Close()
	}()
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err, p.messages.String())
	}
	p.address = strings.TrimSpace(address)
	p.end = func() int {
		cancel()
		return <-code
	}
	return p
}

// send sends a request as the page does.
func (p *pageOf) send(method, path, kind, body string) (int, string) {
	p.t.Helper()
	r, _ := http.NewRequest(method, p.address+path, strings.NewReader(body))
	if method == "POST" {
		r.Header.Set("Origin", p.address[:strings.LastIndex(strings.TrimSuffix(p.address, "/"), "/")])
		r.Header.Set("Content-Type", kind)
	}
	a, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer a.Body.Close()
	text, _ := io.ReadAll(a.Body)
	return a.StatusCode, string(text)
}

// until waits for something.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for limit := time.Now().Add(20 * time.Second); time.Now().Before(limit); time.Sleep(10 * time.Millisecond) {
		if is() {
			return
		}
	}
	t.Fatalf("waited for %s", what)
}

func drawnPNG(t *testing.T, path string) string {
	t.Helper()
	drawn := scenetest.Draw(80, 60)
	img := &imageio.Image{Width: 80, Height: 60, Planes: drawn[:], Depth: imageio.Depth8, Format: imageio.PNG}
	if err := imageio.Write(path, img, imageio.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	return readFile(t, path)
}

const octets, object = "application/octet-stream", "application/json"

// A picture that is dropped on an empty page comes back as the command line gives it, and nothing of it stays.
func TestViewTakesDroppedPictures(t *testing.T) {
	t.Chdir(t.TempDir())
	scratch := t.TempDir()
	t.Setenv("TMPDIR", scratch)
	data := drawnPNG(t, "a.png")
	p := startView(t)
	if code, text := p.send("POST", "api/add?name=..%2Fmine.txt", octets, "no picture"); code != 422 ||
		strings.Contains(text, scratch) {
		t.Errorf("%d %s", code, text)
	}
	if code, text := p.send("POST", "api/add?name=..%2F..%2Fit%27s%20a.png", octets, data); code != 204 {
		t.Fatalf("%d %s", code, text)
	}
	must.Do(t, filepath.WalkDir(scratch, func(path string, e fs.DirEntry, err error) error {
		if info, _ := e.Info(); path != scratch && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("others may open %s: %v", path, info.Mode())
		}
		return err
	}))
	choice := `{"files":[{"file":0,"settings":` + viewSettings + `}],"replace":false}`
	if _, text := p.send("POST", "api/command", object, choice); !strings.Contains(text,
		`"blorc-denoise 'it'\\''s a.png' --sigma 12 --quality fast --strength 0.8 --grain 0.1"`) {
		t.Error(text)
	}
	if code, _ := p.send("GET", "api/result?file=0", "", ""); code != 404 {
		t.Errorf("before it is saved: %d", code)
	}
	p.send("POST", "api/save", object, choice)
	var got string
	until(t, "the result", func() (ok bool) {
		var code int
		code, got = p.send("GET", "api/result?file=0", "", "")
		return code == 200
	})
	if code := p.end(); code != exitOK {
		t.Errorf("exit code %d: %s", code, p.messages)
	}
	if !strings.Contains(p.messages.String(), "blorc-denoise: mine.txt: not a PNG, ") {
		t.Errorf("the terminal does not name what was refused: %s", p.messages)
	}
	if !strings.Contains(p.messages.String(), "it's a.png -> it's a-denoised.png: white noise, medium, as given, ") {
		t.Error(p.messages)
	}
	if got != onCommandLine(t, "a.png") {
		t.Error("the page gives other bytes than the command line")
	}
	if left, _ := os.ReadDir(scratch); runtime.GOOS != "windows" && len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// A picture that there is no room for is refused: before a byte of it is written if its length is known, and else when
// the room is used up.
func TestViewHasNoRoom(t *testing.T) {
	if room, free := roomIn(t.TempDir()), freeBytes(t.TempDir()); free >= 0 && room > free-free/20 {
		t.Errorf("%d bytes of %d may be used", room, free)
	}
	const room = 1000
	for size, written := range map[int64]int{room: 0, 1 << 62: 0, -1: room} {
		path := filepath.Join(t.TempDir(), "a.png")
		err := fill(path, size, room, strings.NewReader(strings.Repeat("x", 3*room)))
		if err == nil || !strings.Contains(err.Error(), "no room for it in") {
			t.Errorf("%d bytes: %v", size, err)
		}
		if got, _ := os.ReadFile(path); len(got) != written {
			t.Errorf("%d bytes: %d are written", size, len(got))
		}
	}
	must.Do(t, fill(filepath.Join(t.TempDir(), "a.png"), -1, room, strings.NewReader("x")))
}

// With -o, what is dropped is saved there.
func TestViewSavesDroppedPicturesInAFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	data := drawnPNG(t, "a.png")
	p := startView(t, "-o", "cleaned")
	p.send("POST", "api/add?name=b.png", octets, data)
	p.send("POST", "api/save", object, `{"files":[{"file":0,"settings":`+viewSettings+`}],"replace":false}`)
	until(t, "cleaned/b.png", func() bool { _, err := os.Stat("cleaned/b.png"); return err == nil })
	if code, _ := p.send("GET", "api/result?file=0", "", ""); code != 404 {
		t.Errorf("a saved file is sent: %d", code)
	}
	p.end()
}

// What is chosen in a window of the system is saved beside its source.
func TestViewChooses(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the window is a stub for Linux")
	}
	t.Chdir(t.TempDir())
	stubs, pictures := t.TempDir(), t.TempDir()
	drawnPNG(t, filepath.Join(pictures, "a.png"))
	drawnPNG(t, filepath.Join(pictures, "b c.png"))
	if err := os.WriteFile(filepath.Join(pictures, "d.heic"), []byte("1234ftypheic"), 0o666); err != nil {
		t.Fatal(err)
	}
	stub := "#!/bin/sh\nprintf '%s\\n%s\\n%s\\n' '" + pictures + "/a.png' '" + pictures + "/d.heic' '" + pictures +
		"/b c.png'\n"
	if err := os.WriteFile(filepath.Join(stubs, "zenity"), []byte(stub), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", stubs+":"+os.Getenv("PATH"))
	t.Setenv("DISPLAY", ":99")
	p := startView(t)
	if code, text := p.send("POST", "api/choose", object, "{}"); code != 200 ||
		!strings.Contains(text, `[{"name":"d.heic","why":"HEIC file, which is not supported: convert it first: `) {
		t.Fatalf("%d %s", code, text)
	}
	p.send("POST", "api/save", object, `{"files":[{"file":1,"settings":`+viewSettings+`}],"replace":false}`)
	until(t, "the result beside its source", func() bool {
		_, err := os.Stat(filepath.Join(pictures, "b c-denoised.png"))
		return err == nil
	})
	p.end()
}

// Without arguments, on a desktop, the program opens the page. In a script, or without a screen, it says what is
// missing.
func TestNoArgumentsOpenThePage(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the browser is a stub for Linux")
	}
	stubs := t.TempDir()
	opened := filepath.Join(stubs, "opened")
	if err := os.WriteFile(filepath.Join(stubs, "xdg-open"),
		[]byte("#!/bin/sh\nprintf %s \"$1\" >"+opened+".part && mv "+opened+".part "+opened+"\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	me, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(stubs, program)
	if err := os.Symlink(me, program); err != nil { // as which it is the program itself
		t.Fatal(err)
	}
	c := exec.Command(program) // with /dev/null as its stdin and stdout
	c.Env = append(os.Environ(), "PATH="+stubs+":"+os.Getenv("PATH"), "DISPLAY=:99")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	defer c.Process.Kill()
	until(t, "the browser", func() bool { _, err := os.Stat(opened); return err == nil })
	address, _ := os.ReadFile(opened)
	a, err := http.Get(string(address))
	if err != nil || a.StatusCode != 200 {
		t.Fatal(a, err)
	}
	page, _ := io.ReadAll(a.Body)
	a.Body.Close()
	if !strings.Contains(string(page), "Drop pictures here") {
		t.Errorf("%s", page)
	}
	c.Process.Signal(os.Interrupt)
	if err := <-ended; err != nil {
		t.Error(err)
	}

	for name, env := range map[string]string{"no screen": "DISPLAY=", "a pipe": "DISPLAY=:99"} {
		c := exec.Command(program)
		c.Env = append(os.Environ(), "PATH="+stubs, "WAYLAND_DISPLAY=", env)
		if name == "a pipe" {
			c.Stdin = strings.NewReader("")
		}
		text := &bytes.Buffer{}
		c.Stderr = text
		if err := c.Run(); err == nil || c.ProcessState.ExitCode() != exitUsage ||
			!strings.Contains(text.String(), "no file given") {
			t.Errorf("%s: %v %s", name, err, text)
		}
	}
}

func TestOnDesktop(t *testing.T) {
	for _, c := range []struct {
		system, env string
		want        bool
	}{
		{"linux", "", false}, {"linux", "DISPLAY", true}, {"linux", "WAYLAND_DISPLAY", true},
		{"freebsd", "DISPLAY", true}, {"linux", "SSH_CONNECTION", false},
		{"darwin", "", true}, {"darwin", "SSH_CONNECTION", false}, {"windows", "", true},
		{"windows", "SSH_CONNECTION", false},
	} {
		if got := onDesktop(c.system, func(name string) string {
			return strings.Repeat("x",
				strings.Count(c.env, name))
		}); got != c.want {
			t.Errorf("%s with %q: %v", c.system, c.env, got)
		}
	}
}

func checkPlainName(t interface{ Errorf(string, ...any) }, from string) {
	name := plainName(from)
	switch {
	case name == "" || name == "." || name == ".." || !filepath.IsLocal(name) || filepath.Base(name) != name ||
		len(name) > 255:
		t.Errorf("%q gives %q, which is no plain name", from, name)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) ||
		strings.ContainsAny(name, `/\<>:"|?*`):
		t.Errorf("%q gives %q, which has characters that systems refuse", from, name)
	case strings.HasPrefix(name, ".") || strings.HasSuffix(name, ".") || strings.HasSuffix(name, " "):
		t.Errorf("%q gives %q, which begins or ends oddly", from, name)
	case plainName(name) != name:
		t.Errorf("%q gives %q, and that %q", from, name, plainName(name))
	}
}

func TestPlainName(t *testing.T) {
	for from, want := range map[string]string{
		"a.png": "a.png", "../../etc/passwd": "passwd", `C:\x\b.jpg`: "b.jpg", "": "picture", "..": "picture",
		".png": "png", "con.png": "_con.png",
		"COM1.tif": "_COM1.tif", "a\nb\x00.png": "a_b_.png", "ä ö.png": "ä ö.png", "a:b|c?.png": "a_b_c_.png",
		"x. .png": "x.png", "a/": "picture",
	} {
		if got := plainName(from); got != want {
			t.Errorf("%q: %q, want %q", from, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) { checkPlainName(t, rapid.String().Draw(t, "name")) })
}

func FuzzPlainName(f *testing.F) {
	f.Add("a.png")
	f.Add("..\\NUL.tar.gz ")
	f.Add(strings.Repeat("é", 300) + ".jpeg")
	f.Fuzz(func(t *testing.T, name string) { checkPlainName(t, name) })
}
