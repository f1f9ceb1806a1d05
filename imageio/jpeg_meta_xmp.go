package imageio

import (
	"bytes"
	"crypto/md5"
	"encoding/binary"
	"fmt"
	"slices"
)

// A long XMP packet goes on in further segments (XMP specification, part 3, section 1.1.3.1): the MD5 digest of the
// whole, its length, and where this part belongs.
const (
	headXMPMore   = "http://ns.adobe.com/xmp/extension/\x00"
	xmpDigest     = 32
	xmpMoreHeader = len(headXMPMore) + xmpDigest + 8
)

// withoutThumbnailsInXMP removes the previews from the further segments of a packet, and gives the packet their new
// digest.
func withoutThumbnailsInXMP(list []segment) []segment {
	isMore := func(s segment) bool { return s.has(markerAPP1, headXMPMore) && len(s.body) >= xmpMoreHeader }
	at := slices.IndexFunc(list, isMore)
	if at < 0 {
		return list
	}
	digest := list[at].rest(headXMPMore)[:xmpDigest]
	var all []byte
	for _, s := range list {
		if !isMore(s) {
			continue
		}
		offset := binary.BigEndian.Uint32(s.body[xmpMoreHeader-4:])
		if !bytes.Equal(s.rest(headXMPMore)[:xmpDigest], digest) || int(offset) != len(all) {
			return list // not in order, or of several packets
		}
		all = append(all, s.body[xmpMoreHeader:]...)
	}
	clean := withoutXMPThumbnails(all)
	if bytes.Equal(clean, all) {
		return list
	}
	now := fmt.Appendf(nil, "%X", md5.Sum(clean))
	var out []segment
	for i, s := range list {
		switch {
		case i == at:
			out = append(out, xmpSegments(clean, now)...)
		case isMore(s):
		case s.has(markerAPP1, headXMP):
			out = append(out, segment{s.marker, bytes.ReplaceAll(s.body, digest, now)})
		default:
			out = append(out, s)
		}
	}
	return out
}

// xmpSegments returns the further segments of a packet.
func xmpSegments(packet, digest []byte) []segment {
	var out []segment
	offset := uint32(0)
	for p := range slices.Chunk(packet, maxSegment-xmpMoreHeader) {
		body := append([]byte(headXMPMore), digest...)
		body = binary.BigEndian.AppendUint32(body, uint32(len(packet)))
		body = binary.BigEndian.AppendUint32(body, offset)
		out = append(out, segment{markerAPP1, append(body, p...)})
		offset += uint32(len(p))
	}
	return out
}
