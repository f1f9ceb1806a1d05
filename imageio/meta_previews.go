package imageio

import (
	"bytes"
	"encoding/binary"
	"regexp"
	"slices"
)

// withoutPreviews removes the segments that hold a preview. Some cameras put one into APP3 and go on in APP4 and APP5.
func withoutPreviews(list []segment) []segment {
	var out []segment
	inside := byte(0) // marker of the segment of a preview before this one
	for _, s := range list {
		switch {
		case s.has(markerAPP3, jpegSignature):
			inside = markerAPP3
			continue
		case inside != 0 && (s.marker == inside || s.marker == inside+1) && s.marker <= markerAPP3+2:
			inside = s.marker
			continue
		}
		inside = 0
		out = append(out, s)
	}
	return out
}

// withoutThumbnailSegments removes the previews from Photoshop resources. Long resources go on in the next segment, so
// they are put together first.
func withoutThumbnailSegments(list []segment) []segment {
	isPhotoshop := func(s segment) bool { return s.has(markerAPP13, headPhotoshop) }
	var all []byte
	for _, s := range list {
		if isPhotoshop(s) {
			all = append(all, s.rest(headPhotoshop)...)
		}
	}
	clean := withoutThumbnails(all)
	if bytes.Equal(clean, all) {
		return list
	}
	at := slices.IndexFunc(list, isPhotoshop)
	out := slices.DeleteFunc(slices.Clone(list), isPhotoshop)
	var parts []segment
	for p := range slices.Chunk(clean, maxSegment-len(headPhotoshop)) {
		parts = append(parts, segment{markerAPP13, append([]byte(headPhotoshop), p...)})
	}
	return slices.Insert(out, at, parts...)
}

// blankPictures overwrites the JPEG files inside a block with zeros, such as the previews in the notes of a maker.
// Nothing is moved, because the offsets in such notes are not documented. It reports whether there were any.
func blankPictures(block []byte) bool {
	found := false
	work := 16 * len(block) // limits the work if there are many signatures
	for at := 0; ; {
		i := bytes.Index(block[at:], []byte(jpegSignature))
		if i < 0 {
			return found
		}
		at += i
		if work -= len(block) - at; work < 0 {
			return found
		}
		h := scanJPEG(block[at:])
		if h.trailerAt == 0 || h.frame == 0 || h.scans == 0 || h.width == 0 || h.height == 0 {
			at++
			continue
		}
		clear(block[at : at+h.trailerAt])
		at, found = at+h.trailerAt, true
	}
}

// xmpThumbnails match the property of XMP that holds previews, with the name space's present and its old prefix.
var xmpThumbnails = []*regexp.Regexp{
	regexp.MustCompile(`(?s)<xmp:Thumbnails\b[^>]*>.*?</xmp:Thumbnails\s*>\s*`),
	regexp.MustCompile(`(?s)<xap:Thumbnails\b[^>]*>.*?</xap:Thumbnails\s*>\s*`),
}

// withoutXMPThumbnails removes the previews from a packet.
func withoutXMPThumbnails(packet []byte) []byte {
	if !bytes.Contains(packet, []byte(":Thumbnails")) {
		return packet
	}
	for _, r := range xmpThumbnails {
		packet = r.ReplaceAll(packet, nil)
	}
	return packet
}

// nextResource returns the first Photoshop resource and its size in bytes. The size is 0 if there is none.
func nextResource(p []byte) (id uint16, data []byte, size int) {
	if len(p) < 12 || !slices.Contains(resourceKinds, string(p[:4])) {
		return 0, nil, 0
	}
	id = binary.BigEndian.Uint16(p[4:])
	at := 6 + int(even(int64(p[6])+1)) // the name, with its length
	if at+4 > len(p) {
		return 0, nil, 0
	}
	n := int64(binary.BigEndian.Uint32(p[at:]))
	if at += 4; n > int64(len(p)-at) {
		return 0, nil, 0
	}
	return id, p[at : at+int(n)], min(len(p), at+int(even(n)))
}

// resourceKinds are the signatures of resources by Photoshop, ImageReady and others.
var resourceKinds = []string{"8BIM", "MeSa", "AgHg", "PHUT", "DCSR"}
