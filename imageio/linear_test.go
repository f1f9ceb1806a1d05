package imageio

import (
	"encoding/binary"
	"testing"
)

func TestLinearProfiles(t *testing.T) {
	para := func(kind uint16, exponent float64) []byte {
		return fixed16(append(binary.BigEndian.AppendUint16([]byte("para\x00\x00\x00\x00"), kind), 0, 0), exponent)
	}
	table := func(values ...uint16) []byte {
		tag := binary.BigEndian.AppendUint32([]byte("curv\x00\x00\x00\x00"), uint32(len(values)))
		for _, v := range values {
			tag = binary.BigEndian.AppendUint16(tag, v)
		}
		return tag
	}
	for name, c := range map[string]struct {
		icc  []byte
		want bool
	}{
		"none":            {nil, false},
		"garbage":         {make([]byte, 500), false},
		"sRGB":            {rgbProfile(srgb, srgbCurve), false},
		"gamma 2.2, gray": {grayProfile(gamma(2.2)), false},
		"gamma 1":         {rgbProfile(srgb, gamma(1)), true},
		"gamma 1, gray":   {grayProfile(gamma(1)), true},
		"identity":        {profileOf("GRAY", []profileTag{{"kTRC", table()}}), true},
		"two values":      {profileOf("GRAY", []profileTag{{"kTRC", table(0, 65535)}}), true},
		"two others":      {profileOf("GRAY", []profileTag{{"kTRC", table(65535, 0)}}), false},
		"exponent 1":      {profileOf("RGB ", []profileTag{{"gTRC", para(0, 1)}}), true},
		"exponent 2.4":    {profileOf("RGB ", []profileTag{{"gTRC", para(0, 2.4)}}), false},
		"in parts":        {profileOf("RGB ", []profileTag{{"gTRC", para(3, 1)}}), false},
		"cut off":         {grayProfile(gamma(1))[:140], false},
	} {
		m := &Metadata{other: &shared{icc: c.icc}}
		if got := m.Linear(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if (*Metadata)(nil).Linear() {
		t.Error("no metadata is linear")
	}
	exponent := []byte{0, 1, 0x86, 0xa0} // 1
	if m := (&Metadata{png: &pngMeta{chunks: []pngChunk{{kind: "gAMA", body: exponent}}}}); !m.Linear() {
		t.Error("gAMA of 1 is not linear")
	}
}
