package imageio

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// WithNote returns the metadata with one more line in the history of the file, which says what was done to the picture.
// The program comes first, such as "denoiser 1.0: removed noise of sigma 12". m may be nil.
//
// The line is written into the history of the XMP packet if there is one. Otherwise it becomes an XMP packet in JPEG,
// the tag Software in TIFF, after what that says already, and the text Software in PNG, or Comment if there is a
// Software. A line is cut at 10,000 bytes.
func (m *Metadata) WithNote(line string) *Metadata {
	out := &Metadata{}
	if m != nil {
		*out = *m
	}
	out.note = strings.Join(strings.Fields(strings.ToValidUTF8(line, "?")), " ")
	if len(out.note) > maxNote {
		out.note = strings.ToValidUTF8(out.note[:maxNote], "")
	}
	return out
}

// maxNote limits the bytes of a note, so that it fits in a segment of JPEG also if each becomes the six of an XML
// entity.
const maxNote = 10_000

// noted returns the image with a note, and the image itself if the note is empty.
func noted(img *Image, line string) *Image {
	if line == "" {
		return img
	}
	out := *img
	out.Meta = img.Meta.WithNote(line)
	return &out
}

var xml = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;")

// historyEntry returns an entry of the history of XMP (XMP specification, part 2, section 1.2.2.7).
func historyEntry(line string) string {
	program, what, ok := strings.Cut(line, ": ")
	if !ok {
		program, what = "", line
	}
	return fmt.Sprintf(`<rdf:li xmlns:stEvt="http://ns.adobe.com/xap/1.0/sType/ResourceEvent#" stEvt:action="filtered" stEvt:softwareAgent="%s" stEvt:parameters="%s"/>`,
		xml.Replace(program), xml.Replace(what))
}

// historyOf returns a description that holds a history of one entry.
func historyOf(about, line string) string {
	return `<rdf:Description rdf:about=` + about +
		` xmlns:xmpMM="http://ns.adobe.com/xap/1.0/mm/"><xmpMM:History><rdf:Seq>` +
		historyEntry(line) + `</rdf:Seq></xmpMM:History></rdf:Description>`
}

// newXMP returns a packet that holds a history of one entry.
func newXMP(line string) []byte {
	return []byte("<?xpacket begin=\"\ufeff\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>" +
		`<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">` +
		historyOf(`""`, line) + `</rdf:RDF></x:xmpmeta><?xpacket end="w"?>`)
}

var (
	historyEnd = regexp.MustCompile(`</rdf:Seq>\s*</xmpMM:History>`)
	xmpAbout   = regexp.MustCompile(`\srdf:about\s*=\s*("[^"]*"|'[^']*')`)
)

// addHistory adds an entry to the history in a packet. It returns nil if the packet is not written in the usual way.
func addHistory(packet []byte, line string) []byte {
	at, text := bytes.LastIndex(packet, []byte("</rdf:RDF>")), ""
	switch end := historyEnd.FindIndex(packet); {
	case end != nil:
		at, text = end[0], historyEntry(line)
	case at < 0 || bytes.Contains(packet, []byte("xmpMM:History")):
		return nil
	default:
		about := `""`
		if m := xmpAbout.FindSubmatch(packet); m != nil {
			about = string(m[1])
		}
		text = historyOf(about, line)
	}
	return slices.Insert(slices.Clone(packet), at, []byte(text)...)
}

// noteJPEG adds the note to the segments of a JPEG file. Where no XMP packet can take it, it becomes a comment.
func (m *Metadata) noteJPEG(list []segment) []segment {
	if m == nil || m.note == "" {
		return list
	}
	list = slices.Clone(list)
	at := 0 // behind JFIF and Exif
	for i, s := range list {
		switch {
		case s.has(markerAPP1, headXMP):
			packet := addHistory(s.rest(headXMP), m.note)
			if packet != nil && len(headXMP)+len(packet) <= maxSegment {
				list[i].body = append([]byte(headXMP), packet...)
				return list
			}
			return append(list, segment{markerCOM, []byte(m.note)})
		case at == i && (s.marker == markerAPP0 || s.marker == markerAPP1):
			at++
		}
	}
	return slices.Insert(list, at, segment{markerAPP1, append([]byte(headXMP), newXMP(m.note)...)})
}

// notePNG adds the note to the chunks of a PNG file.
func (m *Metadata) notePNG(list []pngChunk) []pngChunk {
	if m == nil || m.note == "" {
		return list
	}
	list = slices.Clone(list)
	keyword := "Software"
	for i, c := range list {
		if packet := c.xmp(); packet != nil {
			if packet = addHistory(packet, m.note); packet != nil {
				list[i].body = xmpChunk(packet)
				return list
			}
		}
		if bytes.HasPrefix(c.body, []byte("Software\x00")) {
			keyword = "Comment"
		}
	}
	c := pngChunk{kind: "tEXt", body: []byte(keyword + "\x00" + m.note)}
	if strings.ContainsFunc(m.note, func(r rune) bool { return r > '~' }) {
		c = pngChunk{kind: "iTXt", body: []byte(keyword + "\x00\x00\x00\x00\x00" + m.note)}
	}
	return append(list, c)
}

// noteTIFF adds the note to the tags of a page.
func (m *Metadata) noteTIFF(d directory) directory {
	if m == nil || m.note == "" {
		return d
	}
	if t := d.find(tagXMP); t != nil && typeSizes[t.typ] == 1 {
		if packet := addHistory(t.data, m.note); packet != nil {
			return d.with(tag{id: tagXMP, typ: t.typ, count: uint64(len(packet)), data: packet})
		}
	}
	text := m.note
	if t := d.find(tagSoftware); t != nil && t.typ == typeASCII {
		if old := strings.TrimSpace(string(bytes.TrimRight(t.data, "\x00"))); old != "" {
			text = old + "; " + text
		}
	}
	return d.with(tag{id: tagSoftware, typ: typeASCII, count: uint64(len(text) + 1), data: []byte(text + "\x00")})
}
