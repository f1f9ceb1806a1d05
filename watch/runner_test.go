package watch

import (
	"errors"
	"testing"
)

// A Runner that cannot work says so. That is no verdict about a file.
func TestRunnersWithoutWork(t *testing.T) {
	for name, r := range map[string]Runner{"Local": Local{}, "Child": &Child{}} {
		_, err := r.Run(t.Context(), Source{}, nil)
		if !errors.Is(err, errNoWorker) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := Refuse(nil); err != nil {
		t.Error(err)
	}
}

// closing counts how often it is closed.
type closing struct {
	Local
	closed *int
}

func (c closing) Close() error {
	*c.closed++
	return nil
}

// A daemon that cannot begin leaves the Runner of its caller alone: another daemon may use it.
func TestNewThatFailsClosesNoRunner(t *testing.T) {
	closed := 0
	o := Options{In: t.TempDir(), Out: t.TempDir(), Runner: closing{closed: &closed}, Polling: true}
	d, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := New(o); !errors.Is(err, ErrLocked) || closed != 0 {
		t.Errorf("%v, closed %d times", err, closed)
	}
	if err := d.Close(); err != nil || closed != 1 {
		t.Errorf("%v, closed %d times", err, closed)
	}
}
