package patchify

// must ends a test that cannot go on after an error.
func must(t fataler, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// fataler is a test, of package testing or of rapid.
type fataler interface {
	Helper()
	Fatal(args ...any)
}
