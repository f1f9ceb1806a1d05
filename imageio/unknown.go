package imageio

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// OtherKind is a kind of file that is not read, as an error of kind ErrUnsupported.
type OtherKind struct {
	Name   string // such as "HEIC"
	Advice string // how to come to a picture from there
}

func (k OtherKind) Error() string {
	text := fmt.Sprintf("%s file, which is not supported", k.Name)
	if k.Advice == "" {
		return text
	}
	return text + ": " + k.Advice
}

// Unwrap returns ErrUnsupported.
func (k OtherKind) Unwrap() error { return ErrUnsupported }

// What files of other kinds are, and how to come to a picture from there.
const (
	adviceRaw = "convert it to DNG first (Adobe DNG Converter, dnglab), or develop it, for example in darktable or " +
		"RawTherapee, and export 16-bit TIFF"
	advicePicture = "export it as TIFF or PNG first"
	adviceHEIC    = "convert it first: heif-convert IN.heic OUT.png (libheif), sips -s format png IN.heic -o OUT.png " +
		"(macOS) or magick IN.heic OUT.png (ImageMagick); the camera settings of a phone have JPEG instead (iPhone: " +
		"Settings, Camera, Formats, Most Compatible)"
	adviceAVIF    = "convert it first: avifdec IN.avif OUT.png (libavif) or magick IN.avif OUT.png (ImageMagick)"
	adviceJXL     = "convert it first: djxl IN.jxl OUT.png (libjxl) or magick IN.jxl OUT.png (ImageMagick)"
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
	{4, "ftypavif", "AVIF", adviceAVIF},
	{4, "ftypavis", "AVIF", adviceAVIF},
	{4, "ftyphei", "HEIC", adviceHEIC},
	{4, "ftyphev", "HEIC", adviceHEIC},
	{4, "ftypmif1", "HEIF", adviceHEIC},
	{4, "ftypmsf1", "HEIF", adviceHEIC},
	{0, "\xff\x0a", "JPEG XL", adviceJXL},
	{4, "JXL \r\n\x87\n", "JPEG XL", adviceJXL},
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
			return OtherKind{s.name, s.advice}
		}
	}
	return failf(ErrFormat, "not a PNG, JPEG, TIFF, WebP, BMP or PNM file")
}

// rawFile returns the error for a raw file of a camera that has the structure of a TIFF file.
func rawFile() error { return OtherKind{"camera raw", adviceRaw} }

// byExtension says what files are whose content does not tell.
var byExtension = func() map[string]OtherKind {
	m := map[string]OtherKind{}
	for advice, names := range map[string]map[string]string{
		adviceRaw: {"3fr": "Hasselblad raw", "arw": "Sony raw", "cr2": "Canon raw", "cr3": "Canon raw",
			"crw": "Canon raw", "dcr": "Kodak raw", "erf": "Epson raw", "fff": "Hasselblad raw", "iiq": "Phase One raw",
			"kdc": "Kodak raw", "mef": "Mamiya raw", "mos": "Leaf raw", "mrw": "Minolta raw", "nef": "Nikon raw",
			"nrw": "Nikon raw", "orf": "Olympus raw", "pef": "Pentax raw", "raf": "Fujifilm raw", "raw": "camera raw",
			"rw2": "Panasonic raw", "rwl": "Leica raw", "sr2": "Sony raw", "srf": "Sony raw", "srw": "Samsung raw",
			"x3f": "Sigma raw"},
		adviceHEIC: {"heic": "HEIC", "heif": "HEIF", "hif": "HEIF"},
		adviceAVIF: {"avif": "AVIF"},
		adviceJXL:  {"jxl": "JPEG XL"},
		advicePicture: {"dds": "DirectDraw surface (DDS)", "exr": "OpenEXR", "gif": "GIF", "hdr": "Radiance HDR",
			"ico": "icon (ICO)", "j2k": "JPEG 2000", "jp2": "JPEG 2000", "jpf": "JPEG 2000", "jpx": "JPEG 2000",
			"jxr": "JPEG XR", "pcd": "Photo CD", "pcx": "PCX", "pict": "PICT", "psb": "Photoshop", "psd": "Photoshop",
			"qoi": "QOI", "svg": "SVG", "tga": "Targa", "wbmp": "WBMP", "xcf": "GIMP"},
		adviceScience: {"czi": "Zeiss", "dcm": "DICOM", "dicom": "DICOM", "fit": "FITS", "fits": "FITS", "fts": "FITS",
			"ics": "Image Cytometry Standard", "ids": "Image Cytometry Standard", "img": "Analyze or ERDAS",
			"ims": "Imaris", "lif": "Leica microscope", "lsm": "Zeiss", "mrc": "MRC", "nd2": "Nikon microscope",
			"ndpi": "Hamamatsu slide", "oib": "Olympus microscope", "oif": "Olympus microscope",
			"oir": "Olympus microscope", "scn": "Leica slide", "spe": "Princeton Instruments", "svs": "Aperio slide",
			"vms": "Hamamatsu slide", "vsi": "Olympus slide", "zvi": "Zeiss"},
		adviceDocument: {"djvu": "DjVu", "pdf": "PDF", "ps": "PostScript"},
	} {
		for ext, name := range names {
			m["."+ext] = OtherKind{name, advice}
		}
	}
	for ext := range strings.FieldsSeq("avi flv m2ts m4v mkv mov mp4 mpeg mpg mts mxf ogv webm wmv") {
		m["."+ext] = OtherKind{"video", adviceVideo}
	}
	return m
}()

// OtherKindOf returns the kind of file that the extension of a name stands for, if it is one that is not read.
func OtherKindOf(name string) (k OtherKind, ok bool) {
	k, ok = byExtension[strings.ToLower(filepath.Ext(name))]
	return k, ok
}

// adviseByName names the kind of a file by its extension, if it was refused for its content.
func adviseByName(path string, err error) error {
	kind, known := OtherKindOf(path)
	var refused *refusal
	var other OtherKind
	switch {
	case !known:
		return err
	case errors.As(err, &other) && other.Advice != kind.Advice:
		return kind
	case errors.As(err, &refused) && (refused.kind == ErrFormat || refused.kind == ErrUnsupported):
		return kind
	}
	return err
}
