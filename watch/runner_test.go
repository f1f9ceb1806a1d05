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
