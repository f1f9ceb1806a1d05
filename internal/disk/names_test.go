package disk

import "testing"

// F11: names of files that are still being written.
func TestFaultF11Hidden(t *testing.T) {
	for _, name := range []string{".a.png", "a.png.part", "a.png.PARTIAL", "a.png.filepart", "a.png.crdownload",
		"a.png.tmp", "a.png.swp",
		"a.png~", "~a.png", "~$a.png", ".blorc-0123456789abcdef.tmp", ".", ".DS_Store", "._a.png", ".a.png.swp",
		"#a.png#", "A.TMP"} {
		if !Hidden(name) {
			t.Errorf("%s is not passed over", name)
		}
	}
	for _, name := range []string{"a.png", "part.png", "tmp.tif", "a~b.jpg", "a.tmp.png", "#1.png", "a.bak", "1#"} {
		if Hidden(name) {
			t.Errorf("%s is passed over", name)
		}
	}
}
