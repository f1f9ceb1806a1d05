package imageio

import (
	"bytes"
	"path/filepath"
	"strings"
)

// What files of other kinds are, and how to come to a picture from there.
const (
	adviceRaw = "convert it to DNG first (Adobe DNG Converter, dnglab), or develop it, for example in darktable or " +
		"RawTherapee, and export 16-bit TIFF"
	advicePicture = "export it as TIFF or PNG first"
	adviceScience = "export it as TIFF first, for example with ImageJ (Bio-Formats)"
	adviceVideo   = "use ffmpeg to make pictures of it, as files or as a stream (ffmpeg -i FILE -f image2pipe -c:v " +
		"png -)"
	adviceDocument = "export its pages as TIFF or PNG first"
)

// signature is how a kind of file that is not read begins.
type signature struct {
	at     int
	bytes  string
	name   string
	advice string
}

// signatures lists kinds of files that are taken for pictures. Names of several words come before those that begin
// alike.
var signatures = []signature{
	{8, "CR\x02", "Canon raw (CR2)", adviceRaw},
	{4, "ftypcrx ", "Canon raw (CR3)", adviceRaw},
	{0, "FUJIFILMCCD-RAW", "Fujifilm raw (RAF)", adviceRaw},
	{0, "IIRO", "Olympus raw (ORF)", adviceRaw},
	{0, "IIRS", "Olympus raw (ORF)", adviceRaw},
	{0, "MMOR", "Olympus raw (ORF)", adviceRaw},
	{0, "IIU\x00", "Panasonic raw (RW2)", adviceRaw},
	{0, "FOVb", "Sigma raw (X3F)", adviceRaw},
	{0, "\x00MRM", "Minolta raw (MRW)", adviceRaw},
	{6, "HEAPCCDR", "Canon raw (CRW)", adviceRaw},
	{4, "ftypavif", "AVIF", advicePicture},
	{4, "ftypavis", "AVIF", advicePicture},
	{4, "ftyphei", "HEIC", advicePicture},
	{4, "ftyphev", "HEIC", advicePicture},
	{4, "ftypmif1", "HEIF", advicePicture},
	{4, "ftypmsf1", "HEIF", advicePicture},
	{0, "\xff\x0a", "JPEG XL", advicePicture},
	{4, "JXL \r\n\x87\n", "JPEG XL", advicePicture},
	{4, "jP  \r\n\x87\n", "JPEG 2000", advicePicture},
	{0, "\xff\x4f\xff\x51", "JPEG 2000", advicePicture},
	{0, "II\xbc\x01", "JPEG XR", advicePicture},
	{0, "GIF8", "GIF", advicePicture},
	{0, "8BPS", "Photoshop", advicePicture},
	{0, "gimp xcf", "GIMP", advicePicture},
	{0, "v/1\x01", "OpenEXR", advicePicture},
	{0, "#?RADIANCE", "Radiance HDR", advicePicture},
	{0, "#?RGBE", "Radiance HDR", advicePicture},
	{0, "\x00\x00\x01\x00", "icon (ICO)", advicePicture},
	{0, "DDS ", "DirectDraw surface (DDS)", advicePicture},
	{0, "qoif", "QOI", advicePicture},
	{0, "SDPX", "DPX", advicePicture},
	{0, "XPDS", "DPX", advicePicture},
	{0, "\x8aMNG", "MNG", advicePicture},
	{0, "\x8bJNG", "JNG", advicePicture},
	{0, "BPG\xfb", "BPG", advicePicture},
	{0, "FLIF", "FLIF", advicePicture},
	{0, "farbfeld", "farbfeld", advicePicture},
	{0, "\x0a\x05\x01\x08", "PCX", advicePicture},
	{128, "DICM", "DICOM", adviceScience},
	{0, "SIMPLE  =", "FITS", adviceScience},
	{0, "\x89HDF\r\n", "HDF5", adviceScience},
	{0, "CDF\x01", "NetCDF", adviceScience},
	{0, "ZISRAWFILE", "Zeiss (CZI)", adviceScience},
	{0, "\xda\xce\xbe\x0a", "Nikon microscope (ND2)", adviceScience},
	{0, "\x70\x00\x00\x00", "Leica microscope (LIF)", adviceScience},
	{208, "MAP ", "MRC", adviceScience},
	{344, "n+1\x00", "NIfTI", adviceScience},
	{0, "%PDF", "PDF", adviceDocument},
	{0, "%!PS", "PostScript", adviceDocument},
	{0, "AT&TFORM", "DjVu", adviceDocument},
	{0, "<svg", "SVG", advicePicture},
	{0, "\x1aE\xdf\xa3", "Matroska or WebM video", adviceVideo},
	{4, "ftyp", "MP4 or QuickTime video", adviceVideo},
	{8, "AVI ", "AVI video", adviceVideo},
}

// unknownFile returns the error for a file of none of the formats that are read.
func unknownFile(head []byte) error {
	for _, s := range signatures {
		if len(head) > s.at && bytes.HasPrefix(head[s.at:], []byte(s.bytes)) {
			return otherKind(s.name, s.advice)
		}
	}
	return failf(ErrFormat, "not a PNG, JPEG, TIFF, WebP, BMP or PNM file")
}

func otherKind(name, advice string) error {
	return failf(ErrUnsupported, "%s file, which is not supported: %s", name, advice)
}

// rawFile returns the error for a raw file of a camera that has the structure of a TIFF file.
func rawFile() error { return otherKind("camera raw", adviceRaw) }

// byExtension says what files are whose content does not tell.
var byExtension = func() map[string][2]string {
	m := map[string][2]string{}
	for ext, name := range map[string]string{"3fr": "Hasselblad", "arw": "Sony", "cr2": "Canon", "cr3": "Canon",
		"crw": "Canon", "dcr": "Kodak", "erf": "Epson",
		"fff": "Hasselblad", "iiq": "Phase One", "kdc": "Kodak", "mef": "Mamiya", "mos": "Leaf", "mrw": "Minolta",
		"nef": "Nikon", "nrw": "Nikon", "orf": "Olympus", "pef": "Pentax",
		"raf": "Fujifilm", "rw2": "Panasonic", "rwl": "Leica", "sr2": "Sony", "srf": "Sony", "srw": "Samsung",
		"x3f": "Sigma"} {
		m["."+ext] = [2]string{name + " raw", adviceRaw}
	}
	for ext, name := range map[string]string{"tga": "Targa", "pcd": "Photo CD", "wbmp": "WBMP", "pict": "PICT"} {
		m["."+ext] = [2]string{name, advicePicture}
	}
	for ext, name := range map[string]string{"dcm": "DICOM", "fits": "FITS", "fit": "FITS", "mrc": "MRC",
		"nd2": "Nikon microscope", "lif": "Leica microscope", "czi": "Zeiss", "oib": "Olympus microscope",
		"oif": "Olympus microscope", "vsi": "Olympus slide", "svs": "Aperio slide", "ndpi": "Hamamatsu slide",
		"scn": "Leica slide", "ims": "Imaris", "img": "Analyze or ERDAS", "spe": "Princeton Instruments"} {
		m["."+ext] = [2]string{name, adviceScience}
	}
	return m
}()

// adviseByName names the kind of a file by its extension, if it was refused for its content.
func adviseByName(path string, err error) error {
	r, ok := err.(*refusal)
	kind, known := byExtension[strings.ToLower(filepath.Ext(path))]
	if !ok || !known || r.kind != ErrFormat && r.kind != ErrUnsupported || strings.Contains(r.text, kind[1]) {
		return err
	}
	return otherKind(kind[0], kind[1])
}
