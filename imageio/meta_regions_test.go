package imageio

import (
	"encoding/binary"
	"image"
	"slices"
	"strings"
	"testing"
)

// item is one item in the metadata of ImageJ.
type item struct{ kind, body string }

// tagsWith returns the two tags for items. Those of one kind stand side by side.
func tagsWith(order binary.AppendByteOrder, items ...item) directory {
	word := func(b []byte, text string) []byte {
		return order.AppendUint32(b, binary.BigEndian.Uint32([]byte(text)))
	}
	head, body, sizes := word(nil, "IJIJ"), []byte(nil), []byte(nil)
	for i := 0; i < len(items); {
		n := 0
		for kind := items[i].kind; i < len(items) && items[i].kind == kind; i++ {
			body, sizes = append(body, items[i].body...), order.AppendUint32(sizes, uint32(len(items[i].body)))
			n++
		}
		head = order.AppendUint32(word(head, items[i-1].kind), uint32(n))
	}
	sizes = append(order.AppendUint32(nil, uint32(len(head))), sizes...)
	body = append(head, body...)
	return directory{{id: tagImageJCounts, typ: typeLong, count: uint64(len(sizes) / 4), data: sizes},
		{id: tagImageJ, typ: typeByte, count: uint64(len(body)), data: body}}
}

func equalTags(a, b directory) bool {
	return slices.EqualFunc(a, b, func(a, b tag) bool {
		return a.id == b.id && a.typ == b.typ && a.count == b.count && string(a.data) == string(b.data)
	})
}

// Regions mark places in the whole picture. A crop has the other items only.
func TestRegionsOfACrop(t *testing.T) {
	info, label, span := item{"info", "i\x00n\x00"}, item{"labl", "a\x00"}, item{"rang", "12345678"}
	region, overlay := item{"roi ", "Iout1234"}, item{"over", "Iout5"}
	for _, c := range []struct{ in, want []item }{
		{[]item{info, label, label, span}, []item{info, label, label, span}},
		{[]item{info, label, label, region, overlay, overlay, span}, []item{info, label, label, span}},
		{[]item{region, info}, []item{info}},
		{[]item{region, overlay}, nil},
	} {
		for _, order := range []interface {
			binary.ByteOrder
			binary.AppendByteOrder
		}{binary.LittleEndian, binary.BigEndian} {
			in := tagsWith(order, c.in...)
			m := &Metadata{width: 64, height: 48, tiff: &tiffMeta{tiffForm: tiffForm{order: order}, tags: in}}
			got, lost := m.Cropped(image.Rect(1, 0, 9, 9))
			want := directory{}
			if c.want != nil {
				want = tagsWith(order, c.want...)
			}
			if !equalTags(got.tiff.tags, want) {
				t.Errorf("%q in %v: the tags are %v, not %v", c.in, order, got.tiff.tags, want)
			}
			if told := strings.Contains(strings.Join(lost, ""), "ImageJ"); told != (len(c.in) != len(c.want)) {
				t.Errorf("%q: told %q", c.in, lost)
			}
			if !equalTags(in, tagsWith(order, c.in...)) {
				t.Errorf("%q: the tags of the whole have changed", c.in)
			}
			if got, lost := m.Cropped(image.Rect(0, 0, 9, 9)); !equalTags(got.tiff.tags, in) || len(lost) > 0 {
				t.Errorf("%q: at the corner the tags are %v, told %q", c.in, got.tiff.tags, lost)
			}
		}
	}
}

// Tags that are damaged are kept as they are.
func TestDamagedRegions(t *testing.T) {
	sound := tagsWith(binary.LittleEndian, item{"info", "i"}, item{"roi ", "Iout"}, item{"roi ", "Iout"})
	if _, had := sound.withoutRegions(binary.LittleEndian); !had {
		t.Fatal("no regions in sound tags")
	}
	for name, damage := range map[string]func(sizes, items *tag){
		"no sizes":       func(sizes, _ *tag) { sizes.data = nil },
		"fewer sizes":    func(sizes, _ *tag) { sizes.data = sizes.data[:12] },
		"part of a size": func(sizes, _ *tag) { sizes.data = sizes.data[:15] },
		"sizes as bytes": func(sizes, _ *tag) { sizes.typ = typeByte },
		"items as words": func(_, items *tag) { items.typ = typeShort },
		"no items":       func(_, items *tag) { items.data = nil },
		"cut short":      func(_, items *tag) { items.data = items.data[:len(items.data)-1] },
		"other word":     func(_, items *tag) { items.data[0]++ },
		"huge head":      func(sizes, _ *tag) { sizes.data[3] = 255 },
		"odd head":       func(sizes, _ *tag) { sizes.data[0]++ },
		"empty head":     func(sizes, _ *tag) { sizes.data[0] = 4 },
		"huge item":      func(sizes, _ *tag) { sizes.data[11] = 255 },
		"many items":     func(_, items *tag) { items.data[11] = 255 },
	} {
		d := directory{sound[0], sound[1]}
		for i := range d {
			d[i].data = slices.Clone(d[i].data)
		}
		damage(&d[0], &d[1])
		if got, had := d.withoutRegions(binary.LittleEndian); had || !equalTags(got, d) {
			t.Errorf("%s: taken for regions", name)
		}
	}
}
