//go:build hosts

package test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// The service menu, installed as its README says and chosen from the menu in Dolphin, on names that shells take for
// something else.
func TestDolphin(t *testing.T) {
	t.Parallel()
	dir := draw(t, "rgb8.png", "gray8.png", "rgb16.png")
	names := []string{"with a 'space", `two "quotes" $HOME %F`, "gray8"}
	must.Do(t, os.Rename(dir+"/rgb8.png", dir+"/"+names[0]+".png"))
	must.Do(t, os.Rename(dir+"/rgb16.png", dir+"/"+names[1]+".png"))
	user, env := home(t)
	place := contrib + "/filemanagers"
	readme := must.Get(os.ReadFile(place + "/README.md"))(t)
	install := regexp.MustCompile("Dolphin:\\s+`([^`]+)`").FindSubmatch(readme)
	if install == nil {
		t.Fatal("the README has no command for Dolphin")
	}
	host(t, place, env, "sh", "-c", string(install[1]))
	env = append(env, "QT_QPA_PLATFORM=xcb", "PATH="+user+"/.local/bin:"+os.Getenv("PATH"))
	for _, c := range []struct {
		keys  string
		flags []string
	}{{"", nil}, {"Down", []string{"--quality=best"}}} {
		args := []string{"--", "xvfb-run", "-a", "bash", testdata(t, "dolphin.sh"), dir, c.keys}
		for _, name := range names {
			args = append(args, dir+"/"+name+"-denoised.png")
		}
		host(t, dir, env, "dbus-run-session", args...)
		for _, name := range names {
			got, want := dir+"/"+name+"-denoised.png", t.TempDir()
			same(t, got, direct(t, want, dir+"/"+name+".png", "want.png", c.flags...), 0)
			must.Do(t, os.Remove(got))
		}
	}
	left := must.Get(os.ReadDir(dir))(t)
	for _, e := range left {
		if strings.Contains(e.Name(), "denoised") {
			t.Errorf("%s is there, too", e.Name())
		}
	}
}
