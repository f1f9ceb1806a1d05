// Package must ends tests that cannot go on after an error.
package must

// tester is a test, of package testing or of rapid.
type tester interface {
	Helper()
	Fatal(args ...any)
}

// Do ends a test after an error.
func Do(t tester, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Get gives the value of a call to a test, or ends the test after an error: v := must.Get(call())(t).
func Get[T any](v T, err error) func(t tester) T {
	return func(t tester) T {
		t.Helper()
		Do(t, err)
		return v
	}
}
