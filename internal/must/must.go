// Package must says what calls in tests must do: end without an error, or with one of a kind.
package must

import "errors"

// tester is a test, of package testing or of rapid.
type tester interface {
	Helper()
	Errorf(format string, args ...any)
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

// Fail reports an error that is not of a kind, and what it is about. The test goes on.
func Fail(t tester, what any, err, kind error) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Errorf("%v: %v, want %v", what, err, kind)
	}
}

// Err returns the error of a call that returns a value, too.
func Err[T any](_ T, err error) error { return err }
