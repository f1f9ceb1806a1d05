package disk

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// A copy has the permissions of the original, also of one that has no other attributes.
func TestCopyPermissions(t *testing.T) {
	dir := t.TempDir()
	from, err1 := os.Create(filepath.Join(dir, "from"))
	to, err2 := os.Create(filepath.Join(dir, "to"))
	must.Do(t, errors.Join(err1, err2))
	defer from.Close()
	defer to.Close()
	for _, perm := range []os.FileMode{0o600, 0o755} {
		must.Do(t, errors.Join(from.Chmod(perm), CopyAttributes(to, from)))
		if info, err := to.Stat(); err != nil || info.Mode().Perm() != perm {
			t.Errorf("%v, want %v, %v", info.Mode(), perm, err)
		}
	}
}

// A copy has owner, group, permissions, extended attributes and access control list of the original, as far as this
// user and the file system allow.
func TestCopyAttributes(t *testing.T) {
	dir := t.TempDir()
	from := must.Get(os.Create(filepath.Join(dir, "from")))(t)
	defer from.Close()
	to := must.Get(os.Create(filepath.Join(dir, "to")))(t)
	defer to.Close()
	owned := from.Chown(1234, 2345) == nil
	must.Do(t, from.Chmod(0o640))
	// An access control list (acl(5)): version 2; owner rw, user 77 r, group r, mask r, others none.
	list := []byte{2, 0, 0, 0, 1, 0, 6, 0, 255, 255, 255, 255, 2, 0, 4, 0, 77, 0, 0, 0, 4, 0, 4, 0, 255, 255, 255, 255,
		16, 0, 4, 0, 255, 255, 255, 255, 32, 0, 0, 0, 255, 255, 255, 255}
	want := map[string]string{}
	for name, value := range map[string]string{"user.note": "a note", "user.empty": "",
		"system.posix_acl_access": string(list)} {
		switch err := unix.Fsetxattr(int(from.Fd()), name, []byte(value), 0); {
		case err == nil:
			want[name] = value
		case !errors.Is(err, unix.ENOTSUP) && !errors.Is(err, unix.EPERM):
			t.Fatal(name, err)
		}
	}
	must.Do(t, CopyAttributes(to, from))
	info := must.Get(to.Stat())(t)
	if s := info.Sys().(*syscall.Stat_t); owned && (s.Uid != 1234 || s.Gid != 2345) {
		t.Errorf("owner %d, group %d", s.Uid, s.Gid)
	}
	if info.Mode().Perm() != 0o640 {
		t.Errorf("permissions %v", info.Mode())
	}
	for name, value := range want {
		got := make([]byte, 1000)
		n, err := unix.Fgetxattr(int(to.Fd()), name, got)
		if err != nil || string(got[:n]) != value {
			t.Errorf("%s: %q, %v", name, got[:max(n, 0)], err)
		}
	}
	t.Logf("owner checked: %v, attributes: %d", owned, len(want))
}
