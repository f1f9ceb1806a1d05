package imageio

import "image"

// Mosaic says how the one plane of a DNG file is to be read. Its samples are those of a sensor before they are
// developed: each is of one colour, and proportional to light. Values are in the unit of the file: 0 to 65535 for
// samples of 0 to 1.
type Mosaic struct {
	// Active is the part of the plane that shows something. Around it is the masked border of the sensor.
	Active image.Rectangle
	// Masked are the parts of the border that get no light. It is empty if the file does not tell, or has a black level
	// for each row.
	Masked []image.Rectangle
	// Gray says that the sensor has no colour filters. Else Colours holds the colour of each sample of the first two
	// rows and columns of Active, which repeat: 0 is red, 1 green, 2 blue.
	Gray    bool
	Colours [2][2]int
	// White is the sample from which on light is clipped.
	White float64
	// Noise says how the variance of a sample grows with its brightness: one value for all colours, or three for red,
	// green and blue. It is empty if the file does not tell.
	Noise []MosaicNoise
	// Reduced is how far noise was removed, 0 to 1. A file that is written from changed samples says so.
	Reduced float64
	// Development says how developed pictures are to look.
	Development Development

	black    blackLevel
	previews func(change func(*Image) error) error // see EachPreview
}

// MosaicNoise is noise with the variance Slope*x + Floor, where x is the brightness: 0 at black, 1 at white.
type MosaicNoise struct{ Slope, Floor float64 }

// blackLevel is what samples without light have: a pattern that repeats, and a part for each row and column.
type blackLevel struct {
	pattern       [][]float64
	columns, rows []float64 // nil = 0
}

// Denoised reports whether the noise has been removed already, for the most part.
func (m *Mosaic) Denoised() bool { return m.Reduced >= 0.5 }

// Black returns what the sample in a column and row of the active area would be without light.
func (m *Mosaic) Black(x, y int) float64 {
	b := &m.black
	row := b.pattern[y%len(b.pattern)]
	v := row[x%len(row)]
	if x < len(b.columns) {
		v += b.columns[x]
	}
	if y < len(b.rows) {
		v += b.rows[y]
	}
	return v
}

// Tags of DNG 1.6 (Adobe, 2021) and TIFF/EP.
const (
	tagCFARepeat       = 33421
	tagCFAPattern      = 33422
	tagCFAPlaneColor   = 50710
	tagCFALayout       = 50711
	tagLinearization   = 50712
	tagBlackRepeat     = 50713
	tagBlackLevel      = 50714
	tagBlackDeltaH     = 50715
	tagBlackDeltaV     = 50716
	tagWhiteLevel      = 50717
	tagRawDataUniqueID = 50781
	tagActiveArea      = 50829
	tagMaskedAreas     = 50830
	tagNoiseReduction  = 50935
	tagOldRawDigest    = 50972
	tagRowInterleave   = 50975
	tagNoiseProfile    = 51041
	tagRawDigest       = 51111
	tagColInterleave   = 52547
)

// isDNG reports whether a file with the structure of TIFF is a DNG file.
func isDNG(f *tiffFile) bool {
	d, err := f.directory(f.first)
	return err == nil && d.has(tagDNGVersion)
}

// dngFile is a DNG file, whose bytes are kept: it is written again with other samples.
type dngFile struct {
	*tiffFile
	first   *ifd
	raw     *ifd
	pointer int64  // where in the file the offset of raw is
	others  []*ifd // all but raw
	layout  *tiffLayout
	table   []uint16 // linear samples of stored ones; nil = they are the same
	mosaic  Mosaic
	changed []dngPreview // previews that are to be written
}

// bits returns the number of bits of a sample when the file is written.
func (d *dngFile) bits() int {
	if d.table != nil {
		return 16
	}
	return int(d.layout.bits)
}
