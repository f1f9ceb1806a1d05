package imageio

import "math"

// Tables of ITU-T T.81 (1992).

// zigzag[i] is the row-major index in the block of coefficient i of the file (figure A.6).
var zigzag = [64]int{
	0, 1, 8, 16, 9, 2, 3, 10,
	17, 24, 32, 25, 18, 11, 4, 5,
	12, 19, 26, 33, 40, 48, 41, 34,
	27, 20, 13, 6, 7, 14, 21, 28,
	35, 42, 49, 56, 57, 50, 43, 36,
	29, 22, 15, 23, 30, 37, 44, 51,
	58, 59, 52, 45, 38, 31, 39, 46,
	53, 60, 61, 54, 47, 55, 62, 63,
}

// quantTable holds the steps of a quantisation table in the order of the file.
type quantTable [64]uint8

// typicalLuma and typicalChroma are tables K.1 and K.2 in row-major order.
var (
	typicalLuma = [64]int{
		16, 11, 10, 16, 24, 40, 51, 61,
		12, 12, 14, 19, 26, 58, 60, 55,
		14, 13, 16, 24, 40, 57, 69, 56,
		14, 17, 22, 29, 51, 87, 80, 62,
		18, 22, 37, 56, 68, 109, 103, 77,
		24, 35, 55, 64, 81, 104, 113, 92,
		49, 64, 78, 87, 103, 121, 120, 101,
		72, 92, 95, 98, 112, 100, 103, 99,
	}
	typicalChroma = [64]int{
		17, 18, 24, 47, 99, 99, 99, 99,
		18, 21, 26, 66, 99, 99, 99, 99,
		24, 26, 56, 99, 99, 99, 99, 99,
		47, 66, 99, 99, 99, 99, 99, 99,
		99, 99, 99, 99, 99, 99, 99, 99,
		99, 99, 99, 99, 99, 99, 99, 99,
		99, 99, 99, 99, 99, 99, 99, 99,
		99, 99, 99, 99, 99, 99, 99, 99,
	}
)

// quantOf scales a typical table to a quality of 1 to 100 as the Independent JPEG Group does: 50 is the table itself,
// and in 100 all steps are 1.
func quantOf(typical *[64]int, quality int) *quantTable {
	scale := 200 - 2*quality
	if quality < 50 {
		scale = 5000 / quality
	}
	var t quantTable
	for i, at := range zigzag {
		t[i] = uint8(min(max((typical[at]*scale+50)/100, 1), math.MaxUint8))
	}
	return &t
}

// qualityOf returns the quality whose luma table is nearest to t.
func qualityOf(t *quantTable) int {
	best, least := 0, math.MaxInt
	for q := 100; q >= 1; q-- {
		sum := 0
		for i, v := range quantOf(&typicalLuma, q) {
			sum += max(int(v)-int(t[i]), int(t[i])-int(v))
		}
		if sum < least {
			best, least = q, sum
		}
	}
	return best
}

// huffmanTable lists the number of codes of each length in bits, and the values of all codes in order.
type huffmanTable struct {
	counts [16]byte
	values string
}

// huffmanTables are tables K.3 to K.6: DC and AC of luma, DC and AC of chroma.
var huffmanTables = [4]huffmanTable{
	{[16]byte{0, 1, 5, 1, 1, 1, 1, 1, 1}, "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b"},
	{[16]byte{0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 125},
		"\x01\x02\x03\x00\x04\x11\x05\x12\x21\x31\x41\x06\x13\x51\x61\x07\x22\x71\x14\x32\x81\x91\xa1\x08\x23" +
			"\x42\xb1\xc1\x15\x52\xd1\xf0\x24\x33\x62\x72\x82\x09\x0a\x16\x17\x18\x19\x1a\x25\x26\x27\x28\x29\x2a" +
			"\x34\x35\x36\x37\x38\x39\x3a\x43\x44\x45\x46\x47\x48\x49\x4a\x53\x54\x55\x56\x57\x58\x59\x5a\x63\x64" +
			"\x65\x66\x67\x68\x69\x6a\x73\x74\x75\x76\x77\x78\x79\x7a\x83\x84\x85\x86\x87\x88\x89\x8a\x92\x93\x94" +
			"\x95\x96\x97\x98\x99\x9a\xa2\xa3\xa4\xa5\xa6\xa7\xa8\xa9\xaa\xb2\xb3\xb4\xb5\xb6\xb7\xb8\xb9\xba\xc2" +
			"\xc3\xc4\xc5\xc6\xc7\xc8\xc9\xca\xd2\xd3\xd4\xd5\xd6\xd7\xd8\xd9\xda\xe1\xe2\xe3\xe4\xe5\xe6\xe7\xe8" +
			"\xe9\xea\xf1\xf2\xf3\xf4\xf5\xf6\xf7\xf8\xf9\xfa"},
	{[16]byte{0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1}, "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b"},
	{[16]byte{0, 2, 1, 2, 4, 4, 3, 4, 7, 5, 4, 4, 0, 1, 2, 119},
		"\x00\x01\x02\x03\x11\x04\x05\x21\x31\x06\x12\x41\x51\x07\x61\x71\x13\x22\x32\x81\x08\x14\x42\x91\xa1" +
			"\xb1\xc1\x09\x23\x33\x52\xf0\x15\x62\x72\xd1\x0a\x16\x24\x34\xe1\x25\xf1\x17\x18\x19\x1a\x26\x27\x28" +
			"\x29\x2a\x35\x36\x37\x38\x39\x3a\x43\x44\x45\x46\x47\x48\x49\x4a\x53\x54\x55\x56\x57\x58\x59\x5a\x63" +
			"\x64\x65\x66\x67\x68\x69\x6a\x73\x74\x75\x76\x77\x78\x79\x7a\x82\x83\x84\x85\x86\x87\x88\x89\x8a\x92" +
			"\x93\x94\x95\x96\x97\x98\x99\x9a\xa2\xa3\xa4\xa5\xa6\xa7\xa8\xa9\xaa\xb2\xb3\xb4\xb5\xb6\xb7\xb8\xb9" +
			"\xba\xc2\xc3\xc4\xc5\xc6\xc7\xc8\xc9\xca\xd2\xd3\xd4\xd5\xd6\xd7\xd8\xd9\xda\xe2\xe3\xe4\xe5\xe6\xe7" +
			"\xe8\xe9\xea\xf2\xf3\xf4\xf5\xf6\xf7\xf8\xf9\xfa"},
}

// huffmanCode is the code of a value.
type huffmanCode struct {
	bits uint32
	size uint8
}

// codes returns the code of each value. Codes are assigned in order of length (section C.2).
func (t *huffmanTable) codes() *[256]huffmanCode {
	var out [256]huffmanCode
	code, k := uint32(0), 0
	for i, n := range t.counts {
		for range n {
			out[t.values[k]] = huffmanCode{code, uint8(i + 1)}
			code, k = code+1, k+1
		}
		code <<= 1
	}
	return &out
}
