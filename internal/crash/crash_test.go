package crash

import (
	"errors"
	"strings"
	"testing"
)

func fails() (err error) {
	defer Catch(&err)
	panic("a fault")
}

// A panic is an error with the place where it came from, also through several goroutines.
func TestPanicsAreErrors(t *testing.T) {
	nested := func() (err error) {
		defer Catch(&err)
		var outer Group
		outer.Go(func() {
			var inner Group
			inner.Go(func() { panicsHere() })
			inner.Go(func() {})
			inner.Wait()
		})
		outer.Wait()
		return nil
	}
	for what, c := range map[string]struct {
		err   error
		place string
	}{"here": {fails(), "crash.fails"}, "in goroutines": {nested(), "crash.panicsHere"}} {
		var fault *Error
		if !errors.As(c.err, &fault) || fault.Error() != "fault in the program: a fault" ||
			!strings.Contains(string(fault.Stack), c.place) {
			t.Errorf("%s: %v", what, c.err)
		}
		if !errors.Is(c.err, &Error{}) || errors.Is(errors.New("another"), &Error{}) {
			t.Errorf("%s: the kind of errors", what)
		}
	}
	var none Group
	none.Go(func() {})
	none.Wait()
}

//go:noinline
func panicsHere() { panic("a fault") }
