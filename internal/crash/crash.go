// Package crash turns panics into errors, also those of other goroutines.
package crash

import (
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Error is a panic: a fault in the program, and not in what it was given.
type Error struct {
	Value any
	Stack []byte // of the goroutine that panicked
}

func (e *Error) Error() string { return fmt.Sprintf("fault in the program: %v", e.Value) }

// Is reports whether another error is a panic, too.
func (e *Error) Is(target error) bool {
	_, ok := target.(*Error)
	return ok
}

// Catch makes an error of a panic of the function that defers it.
func Catch(err *error) {
	if v := recover(); v != nil {
		*err = errorOf(v)
	}
}

// errorOf returns the error of a panic, which has its stack already if it comes from another goroutine.
func errorOf(v any) *Error {
	if e, ok := v.(*Error); ok {
		return e
	}
	return &Error{v, debug.Stack()}
}

// Group is goroutines that somebody waits for, and who waits gets their panics.
type Group struct {
	running sync.WaitGroup
	first   atomic.Pointer[Error]
}

// Go runs work in a goroutine of its own.
func (g *Group) Go(work func()) {
	g.running.Go(func() {
		defer func() {
			if v := recover(); v != nil {
				g.first.CompareAndSwap(nil, errorOf(v))
			}
		}()
		work()
	})
}

// Wait waits for all goroutines, and panics if one of them has.
func (g *Group) Wait() {
	g.running.Wait()
	if e := g.first.Load(); e != nil {
		panic(e)
	}
}
