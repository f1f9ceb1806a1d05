package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// command runs a program and returns its output.
func command(t *testing.T, words ...string) string {
	t.Helper()
	out, err := exec.Command(words[0], words[1:]...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", words, err, out)
	}
	return string(out)
}

// TestDebianPackage installs the package on this machine, runs the program, and removes the package. It changes the
// machine, so it must be asked for.
func TestDebianPackage(t *testing.T) {
	if os.Getenv("BLORC_TEST_INSTALL") == "" {
		t.Skip("BLORC_TEST_INSTALL is not set")
	}
	if _, err := exec.LookPath("dpkg"); err != nil || os.Getuid() != 0 {
		t.Skip("needs dpkg and root")
	}
	if exec.Command("dpkg", "-s", name).Run() == nil {
		t.Skip("the package is installed already")
	}
	folder, _ := made(t)
	command(t, "dpkg", "--install", one(t, folder, "*.deb"))
	t.Cleanup(func() { exec.Command("dpkg", "--purge", name).Run() })
	needsNoLibrary(t, "/usr/bin/"+name)
	if out := command(t, "/usr/bin/"+name, "--version"); !strings.Contains(out, "version 0.0.0") {
		t.Error(out)
	}
	images := t.TempDir()
	command(t, "/usr/bin/"+name, "demo", "-o", images, "--size", "96x64")
	command(t, "/usr/bin/"+name, filepath.Join(images, "demo-noisy.png"), "-o", filepath.Join(images, "clean.png"),
		"--quality", "fast")
	if out := command(t, "getent", "passwd", "blorc"); !strings.Contains(out, "nologin") {
		t.Errorf("user of the service: %s", out)
	}
	for _, path := range []string{"man/man1/blorc-denoise.1.gz", "bash-completion/completions/blorc-denoise",
		"doc/blorc-denoise/copyright"} {
		// Containers may be set up to leave documents out.
		if _, err := os.Stat("/usr/share/" + path); err != nil && !strings.Contains(excluded(t), "path-exclude") {
			t.Error(err)
		}
	}
	const unit = "/usr/lib/systemd/system/blorc-denoise-watch.service"
	if text, err := os.ReadFile(unit); err != nil ||
		!strings.Contains(string(text), "ExecStart=/usr/bin/blorc-denoise watch ") {
		t.Errorf("the unit does not start the installed program: %v", err)
	}
	if _, err := exec.LookPath("systemd-analyze"); err == nil {
		command(t, "systemd-analyze", "verify", "--man=no", unit)
	}
	command(t, "dpkg", "--remove", name)
	for _, path := range []string{"/usr/bin/" + name, unit, "/usr/share/" + name} {
		if _, err := os.Lstat(path); err == nil {
			t.Errorf("%s is still there", path)
		}
	}
}

// excluded returns the settings of dpkg.
func excluded(t *testing.T) string {
	var all []byte
	names, _ := filepath.Glob("/etc/dpkg/dpkg.cfg.d/*")
	for _, n := range names {
		text, err := os.ReadFile(n)
		must(t, err)
		all = append(all, text...)
	}
	return string(all)
}

// Links of pages lead to files of the package.
func TestLinksOfPackages(t *testing.T) {
	folder, _ := made(t)
	for pattern, unpack := range map[string]func(*testing.T, string) map[string][]byte{"*.apk": unpackAlpine,
		"*.deb": unpackDebian} {
		files := map[string][]byte{}
		for path, text := range unpack(t, one(t, folder, pattern)) {
			files[strings.TrimPrefix(strings.TrimPrefix(path, "."), "/")] = text
		}
		checkLinks(t, files, func(page, link string) string {
			to := strings.TrimPrefix(link, "/")
			if to == link {
				to = path.Join(path.Dir(page), to)
			}
			// a link of the file system
			return strings.Replace(to, "usr/share/doc/"+name+"/contrib/", "usr/share/"+name+"/contrib/", 1)
		})
	}
}

// unpackDebian returns the files of a deb, which is an archive of ar (deb(5)).
func unpackDebian(t *testing.T, path string) map[string][]byte {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	for rest := bytes.TrimPrefix(data, []byte("!<arch>\n")); len(rest) > 60; {
		size, err := strconv.Atoi(strings.TrimSpace(string(rest[48:58])))
		if err != nil || size > len(rest)-60 {
			t.Fatalf("%s: a part of %q bytes", path, rest[48:58])
		}
		if strings.HasPrefix(string(rest), "data.tar.gz") {
			z, err := gzip.NewReader(bytes.NewReader(rest[60:][:size]))
			must(t, err)
			return untar(t, z)
		}
		rest = rest[min(60+size+size%2, len(rest)):]
	}
	t.Fatalf("%s has no data.tar.gz", path)
	return nil
}

// unpackAlpine returns the files of an apk.
func unpackAlpine(t *testing.T, path string) map[string][]byte {
	t.Helper()
	f, err := os.Open(path)
	must(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f) // reads all parts as one
	must(t, err)
	return untar(t, z)
}

// Other packages are checked for their files: the last part of an apk is a compressed tar file.
func TestAlpinePackage(t *testing.T) {
	folder, _ := made(t)
	files := unpackAlpine(t, one(t, folder, "*.apk"))
	for _, want := range []string{"usr/bin/blorc-denoise", "usr/share/man/man1/blorc-denoise.1.gz",
		"usr/share/zsh/site-functions/_blorc-denoise",
		".post-install"} {
		if len(files[want]) == 0 {
			t.Errorf("no %s", want)
		}
	}
}

func TestRPM(t *testing.T) {
	if _, err := exec.LookPath("rpm"); err != nil {
		t.Skip("rpm is not installed")
	}
	folder, _ := made(t)
	out := command(t, "rpm", "--query", "--info", "--list", "--package", one(t, folder, "*.rpm"))
	for _, want := range []string{"License     : MIT", "Build Host  : localhost", "\n/usr/bin/blorc-denoise\n",
		"\n/usr/share/man/man1/blorc-denoise.1.gz\n",
		"\n/usr/lib/systemd/system/blorc-denoise-watch.service\n",
		"\n/usr/share/bash-completion/completions/blorc-denoise\n",
		"\n/usr/share/applications/blorc-denoise.desktop\n",
		"\n/usr/share/icons/hicolor/scalable/apps/blorc-denoise.svg\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// descriptor is a reference to a blob of an OCI image.
type descriptor struct {
	Digest      string
	MediaType   string
	Annotations map[string]string
	Platform    struct{ OS, Architecture string }
}

// TestImage unpacks the image into an empty folder and runs it there as its own user.
func TestImage(t *testing.T) {
	folder, _ := made(t)
	f, err := os.Open(one(t, folder, "*_oci.tar"))
	must(t, err)
	defer f.Close()
	blobs := untar(t, f)
	read := func(d descriptor, into any) {
		t.Helper()
		if err := json.Unmarshal(blobs["blobs/"+strings.Replace(d.Digest, ":", "/", 1)], into); err != nil {
			t.Fatalf("%s: %v", d.Digest, err)
		}
	}
	var list struct{ Manifests []descriptor }
	must(t, json.Unmarshal(blobs["index.json"], &list))
	if len(list.Manifests) != 1 || list.Manifests[0].MediaType != "application/vnd.oci.image.index.v1+json" ||
		list.Manifests[0].Annotations["org.opencontainers.image.ref.name"] != "0.0.0" {
		t.Fatalf("%+v", list)
	}
	read(list.Manifests[0], &list)
	if len(list.Manifests) != 1 || (target{list.Manifests[0].Platform.OS,
		list.Manifests[0].Platform.Architecture}) != host() {
		t.Fatalf("%+v", list)
	}
	var manifest struct {
		Config descriptor
		Layers []descriptor
	}
	read(list.Manifests[0], &manifest)
	var config struct {
		Config struct {
			User, WorkingDir string
			Entrypoint       []string
		}
	}
	read(manifest.Config, &config)
	if c := config.Config; c.User != "65532:65532" || c.WorkingDir != "/data" || len(c.Entrypoint) != 1 {
		t.Fatalf("%+v", c)
	}
	if os.Getuid() != 0 {
		t.Skip("needs root to run it")
	}
	root := t.TempDir()
	must(t, os.Chmod(root, 0o755))
	for _, l := range manifest.Layers {
		unpack(t, root, blobs["blobs/"+strings.Replace(l.Digest, ":", "/", 1)])
	}
	needsNoLibrary(t, filepath.Join(root, config.Config.Entrypoint[0]))
	for _, args := range [][]string{{"--version"}, {"demo", "-o", "demo", "--size", "96x64"},
		{"demo/demo-noisy.png", "-o", "clean.png"}} {
		c := exec.Command(config.Config.Entrypoint[0], args...)
		c.Dir, c.Env = config.Config.WorkingDir, []string{"PATH=/usr/bin"}
		c.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: nonRoot, Gid: nonRoot}}
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	info, err := os.Stat(filepath.Join(root, "data", "clean.png"))
	must(t, err)
	if owner := info.Sys().(*syscall.Stat_t).Uid; owner != nonRoot {
		t.Errorf("the output belongs to user %d", owner)
	}
}

// unpack unpacks a layer with its owners.
func unpack(t *testing.T, root string, layer []byte) {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(layer))
	must(t, err)
	// Package tar reads an archive without an end, but other programs do not.
	all, err := io.ReadAll(z)
	if err != nil || len(all)%512 != 0 || !bytes.HasSuffix(all, make([]byte, 1024)) {
		t.Errorf("the layer has no end: %d bytes, %v", len(all), err)
	}
	check := func(err error) {
		t.Helper()
		must(t, err)
	}
	for archive := tar.NewReader(bytes.NewReader(all)); ; {
		h, err := archive.Next()
		if err == io.EOF {
			return
		}
		check(err)
		path := filepath.Join(root, h.Name)
		if h.Typeflag == tar.TypeDir {
			check(os.Mkdir(path, 0o755))
		} else {
			data, err := io.ReadAll(archive)
			check(err)
			check(os.WriteFile(path, data, 0o644))
		}
		check(os.Chown(path, h.Uid, h.Gid))
		check(os.Chmod(path, h.FileInfo().Mode()))
	}
}
