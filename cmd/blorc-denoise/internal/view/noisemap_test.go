package view

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// The map comes when it is asked for, once the noise is known, and again for a run with other settings.
func TestNoiseMap(t *testing.T) {
	v := start(t)
	events, _ := v.listen()
	for run := 1; run <= 2; run++ {
		settings := plainSettings
		if run == 2 {
			settings = strings.Replace(settings, "auto", "none", 1)
		}
		v.run(0, settings)
		wait(t, events, "noise", func(e map[string]any) bool { return e["run"] == float64(run) })
		if code, text := v.do("POST", "api/map", fmt.Sprintf(`{"run":%d}`, run)); code != http.StatusNoContent {
			t.Fatal(code, text)
		}
		e := wait(t, events, "map", nil)
		if e["run"] != float64(run) || e["width"] != 300.0 || e["side"] != 16.0 || e["columns"] != 18.0 ||
			e["rows"] != 5.0 {
			t.Error(e["run"], e["width"], e["side"], e["columns"], e["rows"])
		}
		parts, hues := e["parts"].([]any), e["hues"].([]any)
		if len(parts) != 2 || parts[0].(map[string]any)["name"] != "luma" ||
			parts[1].(map[string]any)["name"] != "colours" {
			t.Fatal(parts)
		}
		for _, p := range parts {
			cells := p.(map[string]any)["cells"].([]any)
			if len(cells) != 18*5 {
				t.Errorf("%d cells", len(cells))
			}
			for i, c := range cells {
				if hue := c.(float64); hue < 0 || int(hue) >= len(hues) || (hue > 0) != (run == 1) {
					t.Fatalf("run %d: cell %d has hue %g of %d", run, i, hue, len(hues))
				}
			}
		}
	}
	for body, want := range map[string]int{
		`{"run":1}`: http.StatusGone, `{"run":9}`: http.StatusGone,
		`{"file":1}`: http.StatusBadRequest, `{`: http.StatusBadRequest,
	} {
		if code, text := v.do("POST", "api/map", body); code != want {
			t.Errorf("%s: %d %s", body, code, text)
		}
	}
}
