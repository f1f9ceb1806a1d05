package view

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"sync"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/chart"
	"github.com/blorc-denoise/blorc-denoise/denoise"
)

// mapEvent says where a picture has how much noise.
type mapEvent struct {
	Kind    string    `json:"kind"` // "map"
	Run     int       `json:"run"`
	X       int       `json:"x"` // where the map begins in the picture, and its size
	Y       int       `json:"y"`
	Width   int       `json:"width"`
	Height  int       `json:"height"`
	Side    int       `json:"side"` // of a cell; the last ones reach to the edges
	Columns int       `json:"columns"`
	Rows    int       `json:"rows"`
	Hues    []string  `json:"hues"` // colours, from no noise to End
	End     string    `json:"end"`
	Parts   []mapPart `json:"parts"`
	Why     string    `json:"why"` // there is none
}

// mapPart is a map that can be shown.
type mapPart struct {
	Name  string `json:"name"`
	Cells []int  `json:"cells"` // numbers of hues, row by row; -1 = no picture
}

// mapHues is the number of colours of a map.
const mapHues = 64

// maps makes the map of a picture when it is asked for. It remembers the last.
type maps struct {
	mu     sync.Mutex // while a map is made
	of     *denoise.Analysis
	event  mapEvent
	asking sync.Mutex // guards cancel
	cancel context.CancelFunc
}

// postMap has the map of a run sent to the pages.
func (s *server) postMap(ask struct {
	Run int `json:"run"`
}) (any, error) {
	s.mu.Lock()
	current := s.run
	known := current != nil && current.id == ask.Run && current.analysis != nil
	s.mu.Unlock()
	if !known {
		return nil, refusal{http.StatusGone, "the noise of this run is not known"}
	}
	s.work.Go(func() { s.sendMap(current) })
	return nil, nil
}

// sendMap makes a map and sends it. One that nobody waits for any more is given up.
func (s *server) sendMap(r *run) {
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	s.maps.asking.Lock()
	if s.maps.cancel != nil {
		s.maps.cancel()
	}
	s.maps.cancel = cancel
	s.maps.asking.Unlock()
	s.maps.mu.Lock()
	defer s.maps.mu.Unlock()
	if s.maps.of != r.analysis {
		m, err := r.analysis.Map(ctx, r.picture.img)
		if ctx.Err() != nil {
			return
		}
		if s.maps.of, s.maps.event = r.analysis, mapEventOf(m); err != nil {
			s.maps.event.Why = err.Error()
		}
	}
	e := s.maps.event
	e.Run = r.id
	s.hub.send(e)
}

// mapEventOf turns a map into colours. Brightness and colours are shown, or each plane if they are denoised one by
// one.
func mapEventOf(m denoise.NoiseMap) mapEvent {
	e := mapEvent{Kind: "map", X: m.Area.Min.X, Y: m.Area.Min.Y, Width: m.Area.Dx(), Height: m.Area.Dy(),
		Side: m.Side, Columns: m.Columns, Rows: m.Rows, Parts: []mapPart{}}
	shown := m.Parts
	if len(shown) > 0 && shown[0].Name == "luma" {
		shown = shown[:2]
	}
	most := 0.0
	for _, p := range shown {
		most = max(most, chart.Most(p.Cells))
	}
	end, text := chart.ScaleEnd(most)
	e.End = text
	for i := range mapHues {
		c := chart.Hue(float64(i) / (mapHues - 1))
		e.Hues = append(e.Hues, fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B))
	}
	for _, p := range shown {
		part := mapPart{Name: p.Name}
		for _, v := range p.Cells {
			hue := -1
			if !math.IsNaN(v) {
				hue = int(math.Round((mapHues - 1) * v / end))
			}
			part.Cells = append(part.Cells, hue)
		}
		e.Parts = append(e.Parts, part)
	}
	return e
}
