package view

import "github.com/blorc-denoise/blorc-denoise/denoise"

// The events that pages get, as JSON. Kind says which one it is.

// helloEvent is the first event of each page.
type helloEvent struct {
	Kind     string     `json:"kind"` // "hello"
	Files    []fileInfo `json:"files"`
	Settings settings   `json:"settings"`
	Model    string     `json:"model"`
	Replace  bool       `json:"replace"`
	TileSide int        `json:"tile_side"`
	Takes    bool       `json:"takes"`   // pictures may be dropped on the page
	Chooses  bool       `json:"chooses"` // the system has a window to choose files
}

// filesEvent says that files were added to the list.
type filesEvent struct {
	Kind  string     `json:"kind"` // "files"
	From  int        `json:"from"` // number of the first
	Files []fileInfo `json:"files"`
}

// fileInfo is a file of the list.
type fileInfo struct {
	Name  string `json:"name"`
	Out   string `json:"out"`
	Loose bool   `json:"loose"`
}

// pictureEvent says that a picture has been read.
type pictureEvent struct {
	Kind   string `json:"kind"` // "picture"
	Run    int    `json:"run"`
	File   int    `json:"file"`
	Page   int    `json:"page"`
	Pages  int    `json:"pages"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
	About  string `json:"about"`  // depth, format and how it is shown
	Colour bool   `json:"colour"` // it has chroma
	Same   bool   `json:"same"`   // the picture of the run before
}

// noiseEvent says which noise has been found or given.
type noiseEvent struct {
	Kind      string              `json:"kind"` // "noise"
	Run       int                 `json:"run"`
	Text      string              `json:"text"`
	Found     bool                `json:"found"`
	Told      bool                `json:"told"` // by the file
	Noise     denoise.Noise       `json:"noise"`
	Sigma     float64             `json:"sigma"`
	Photons   denoise.PhotonNoise `json:"photons"`
	Unchanged bool                `json:"unchanged"` // there is no noise, so nothing is done
	Why       string              `json:"why"`       // if that is not plain
}

// tilesEvent says that tiles of level 0 have changed: those from X0, Y0 up to but not including X1, Y1.
type tilesEvent struct {
	Kind  string `json:"kind"` // "tiles"
	Run   int    `json:"run"`
	State byte   `json:"state"`
	X0    int    `json:"x0"`
	Y0    int    `json:"y0"`
	X1    int    `json:"x1"`
	Y1    int    `json:"y1"`
}

// progressEvent says how much is done, as shares.
type progressEvent struct {
	Kind    string  `json:"kind"` // "progress"
	Run     int     `json:"run"`
	Rough   float64 `json:"rough"`   // of what is visible, at fast quality or better
	Visible float64 `json:"visible"` // of what is visible, at the chosen quality
	All     float64 `json:"all"`     // of the picture, at the chosen quality
}

// chartEvent has a chart as SVG.
type chartEvent struct {
	Kind string `json:"kind"` // "curve" or "histogram"
	Run  int    `json:"run"`
	SVG  string `json:"svg"`
}

// failEvent says that a picture cannot be shown.
type failEvent struct {
	Kind    string `json:"kind"` // "failed"
	Run     int    `json:"run"`
	Message string `json:"message"`
}

// saveEvent says how far the saving of a file is.
type saveEvent struct {
	Kind    string  `json:"kind"` // "save"
	File    int     `json:"file"`
	State   string  `json:"state"` // "waiting", "working", "done", "failed" or "cancelled"
	Share   float64 `json:"share"`
	Message string  `json:"message"`
}
