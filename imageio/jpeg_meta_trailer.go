package imageio

import (
	"bytes"
	"encoding/binary"
	"io"
	"slices"
)

// trailing returns what follows the end of the picture: records of FotoStation, the film of a motion photo, further
// pictures, and what else programs put there. Most of it is found from the end of the file, so it is kept as it is,
// except for previews of the old picture. Pictures that a list in an MPF segment names come with that list. A map of
// light belongs to the pixels as they are stored, so it goes if they are turned.
func (h *jpegHeader) trailing(turn orientation) (rest []byte, list *mpfIndex, lost []string) {
	h.trailer = withoutFotoStationPreviews(h.trailer)
	trailer := h.trailer
	var index *mpfIndex
	for _, s := range h.segments {
		if s.has(markerAPP2, headMPF) {
			if index = readMPF(s.rest(headMPF)); index != nil {
				index.locate(h.mpfAt+len(headMPF)-h.trailerAt, len(trailer))
			}
			break
		}
	}
	var previews [][2]int
	if index != nil {
		var maps int
		if previews, maps = index.drop(turn.turns()); maps > 0 {
			lost = append(lost, "maps of light or depth that follow the picture are left out, because it was turned")
		}
	}
	if index == nil || len(index.entries) == 1 {
		index = nil
		if !h.listsItems() {
			previews = append(previews, h.leadingPreviews(previews)...)
		}
	}
	trailer = cutRanges(trailer, previews, index)
	if index == nil && !h.listsItems() && beginsWithPicture(trailer) {
		lost = append(lost, "another picture follows in the file; only the first is denoised")
	}
	if len(bytes.Trim(trailer, "\x00")) == 0 { // padding
		return nil, nil, lost
	}
	return trailer, index, lost
}

// listsItems reports whether the XMP packet lists what follows the picture, by its length.
func (h *jpegHeader) listsItems() bool {
	return slices.ContainsFunc(h.segments, func(s segment) bool {
		return s.has(markerAPP1, headXMP) && bytes.Contains(s.body, []byte("ns.google.com/photos/1.0/container/"))
	})
}

// leadingPreviews finds pictures at the beginning of the trailer that are smaller than the picture of the file. Cameras
// put previews there, which only their maker's notes know of. taken are ranges that have been removed.
func (h *jpegHeader) leadingPreviews(taken [][2]int) [][2]int {
	var out [][2]int
	for at := 0; ; {
		if i := slices.IndexFunc(taken, func(r [2]int) bool { return r[0] == at }); i >= 0 {
			at = taken[i][1]
			continue
		}
		p := afterPadding(h.trailer[at:])
		skip := len(h.trailer) - at - len(p)
		if !bytes.HasPrefix(p, []byte(jpegSignature)) {
			return out
		}
		next := scanJPEG(p)
		if next.trailerAt == 0 || next.frame == 0 || next.width*next.height >= h.width*h.height {
			return out
		}
		out = append(out, [2]int{at + skip, at + skip + next.trailerAt})
		at += skip + next.trailerAt
	}
}

// afterPadding returns what follows the bytes with which programs fill up.
func afterPadding(p []byte) []byte {
	for len(p) > 0 && (p[0] == 0 || p[0] == 0xff) && !bytes.HasPrefix(p, []byte(jpegSignature)) {
		p = p[1:]
	}
	return p
}

// beginsWithPicture reports whether a JPEG picture is at the beginning.
func beginsWithPicture(p []byte) bool {
	p = afterPadding(p)
	return bytes.HasPrefix(p, []byte(jpegSignature)) && scanJPEG(p).frame != 0
}

// cutRanges returns p without the ranges, and moves the places in the index.
func cutRanges(p []byte, ranges [][2]int, index *mpfIndex) []byte {
	slices.SortFunc(ranges, func(a, b [2]int) int { return a[0] - b[0] })
	var out []byte
	from := 0
	for _, r := range ranges {
		if r[0] < from {
			continue // it overlaps the one before
		}
		out = append(out, p[from:r[0]]...)
		from = r[1]
	}
	out = append(out, p[from:]...)
	if index != nil {
		index.move(ranges)
	}
	return out
}

// FotoStation ends a file with records. Each ends in its kind, its size with these ten bytes, and a signature.
const (
	fotoStationEnd       = 10
	fotoStationSignature = 0xa1b2c3d4
	fotoStationThumbnail = 3
	fotoStationPreview   = 4
)

// withoutFotoStationPreviews removes the records with pictures.
func withoutFotoStationPreviews(p []byte) []byte {
	var keep [][]byte
	for len(p) >= fotoStationEnd {
		end := p[len(p)-fotoStationEnd:]
		size := int64(binary.BigEndian.Uint32(end[2:]))
		if binary.BigEndian.Uint32(end[6:]) != fotoStationSignature || size < fotoStationEnd || size > int64(len(p)) {
			break
		}
		at := len(p) - int(size)
		if kind := binary.BigEndian.Uint16(end); kind != fotoStationThumbnail && kind != fotoStationPreview {
			keep = append(keep, p[at:])
		}
		p = p[:at]
	}
	keep = append(keep, p)
	slices.Reverse(keep)
	return slices.Concat(keep...)
}

// encodeWithTrailer writes the picture and what follows it. If there is a list of pictures, it has to be told how long
// the first one has become, so the file is put together in memory.
func (m *jpegMeta) encodeWithTrailer(w io.Writer, segments []segment, encode func(io.Writer, []segment) error) error {
	if m.index == nil {
		if err := encode(w, segments); err != nil {
			return err
		}
		_, err := w.Write(m.trailer)
		return err
	}
	segments = append(slices.Clone(segments), segment{markerAPP2, append([]byte(headMPF), m.index.block...)})
	at := len("\xff\xd8")
	for _, s := range segments {
		at += 4 + len(s.body)
	}
	at -= len(m.index.block) // where offsets count from
	var b bytes.Buffer
	if err := encode(&b, segments); err != nil {
		return err
	}
	m.index.put(b.Bytes()[at:at+len(m.index.block)], at, b.Len())
	if _, err := w.Write(b.Bytes()); err != nil {
		return err
	}
	_, err := w.Write(m.trailer)
	return err
}
