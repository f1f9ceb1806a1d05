package imageio

import (
	"bytes"
	"compress/zlib"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// keywordProfile begins the keyword of a text in which ImageMagick and others keep metadata of other formats.
const keywordProfile = "Raw profile type "

// withoutProfileThumbnails removes thumbnails from a text that holds an Exif block or Photoshop resources as
// hexadecimal numbers. The chunk is returned as it is if there are none.
func withoutProfileThumbnails(c pngChunk) pngChunk {
	kind, ok := bytes.CutPrefix(c.body, []byte(keywordProfile))
	if !ok || c.kind != "tEXt" && c.kind != "zTXt" {
		return c
	}
	name, text, ok := bytes.Cut(kind, []byte{0})
	if !ok {
		return c
	}
	if c.kind == "zTXt" {
		var err error
		if text, err = inflateText(c.compressed(), maxInflated); err != nil {
			return c
		}
	}
	profile, ok := parseProfile(string(text))
	if !ok {
		return c
	}
	clean := profile
	switch strings.ToLower(string(name)) {
	case "exif", "app1":
		if block, ok := bytes.CutPrefix(profile, []byte(headExif)); ok {
			clean = append([]byte(headExif), thumblessExif(block)...)
		}
	case "8bim", "iptc":
		clean = withoutThumbnails(profile)
	}
	if bytes.Equal(clean, profile) {
		return c
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s%s\x00\x00", keywordProfile, name)
	z := zlib.NewWriter(&b)
	fmt.Fprintf(z, "\n%s\n%8d\n", name, len(clean))
	for line := range slices.Chunk(clean, 36) {
		fmt.Fprintf(z, "%x\n", line)
	}
	z.Close()
	return pngChunk{kind: "zTXt", body: b.Bytes(), after: c.after}
}

// parseProfile reads the name, the length and the hexadecimal numbers of a profile in a text.
func parseProfile(text string) ([]byte, bool) {
	parts := strings.Fields(text)
	if len(parts) < 3 {
		return nil, false
	}
	n, err := strconv.Atoi(parts[1])
	b, err2 := hex.DecodeString(strings.Join(parts[2:], ""))
	return b, err == nil && err2 == nil && n == len(b)
}

// thumblessExif returns an Exif block without its thumbnail.
func thumblessExif(block []byte) []byte {
	f, d := exifDirectory(block)
	if d == nil {
		return block
	}
	return withoutThumbnail(slices.Clone(block), f, d)
}
