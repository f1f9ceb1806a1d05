package main

import "slices"

// endedPlaces are where work looks at its context, and where samples that are no numbers stay away from the others.
var endedPlaces = slices.Concat(in("imageio", []change{
	{"jpeg_read_scan.go", "TestEndsWithItsContext", "reading a JPEG file ends with its context",
		"\t\tif err := ended(d.ctx); err != nil {", "\t\tif err := ended(nil); err != nil {"},
	{"jpeg_write.go", "TestEndsWithItsContext", "writing a JPEG file ends with its context",
		"c.encode(running(o.Context),", "c.encode(running(nil),"},
	{"png_read.go", "TestEndsWithItsContext", "reading a PNG file ends with its context",
		"endedReader{io.MultiReader(parts...), ctx}", "endedReader{io.MultiReader(parts...), nil}"},
	{"png_write_pixels.go", "TestEndsWithItsContext", "writing a PNG file ends with its context",
		"ctx: running(o.Context), img", "ctx: running(nil), img"},
	{"tiff_read_pixels.go", "TestEndsWithItsContext", "reading a TIFF file ends with its context",
		"\t\tif err := ended(d.ctx); err != nil {", "\t\tif err := ended(nil); err != nil {"},
	{"write.go", "TestEndsWithItsContext", "writing a TIFF file ends with its context",
		"endedWriter{fullWriter{w}, o.Context}", "endedWriter{fullWriter{w}, nil}"},
	{"tiff_write_blocks.go", "TestEndsWithItsContext", "packing the strips of a TIFF file ends with its context",
		"\t\tif err := ended(ctx); err != nil {", "\t\tif err := ended(nil); err != nil {"},
	{"encode.go", "TestKeepInvalid", "samples that are no numbers are written only where they can be",
		"\tif !(o.KeepInvalid && o.Format == TIFF && img.Depth.kind() == kindFloat) {", "\tif false {"},
	{"../internal/half/half.go", "TestKeepInvalid", "NaN stays NaN in floats of 16 bits", "\tif v != v {",
		"\tif false {"},
}), in("denoise", []change{
	{"once.go", "TestOnceDone", "nobody waits for another call for longer than his context",
		"\tif err := next.take(ctx); err != nil {", "\tif err := next.take(context.Background()); err != nil {"},
	{"once.go", "TestOnceDone|TestPartAfterAnEnd", "what was ended is done again",
		"\t\tif err != nil {\n\t\t\treturn none, err\n\t\t}\n\t\tvalue, done = v, true\n",
		"\t\tvalue, done = v, true\n\t\tif err != nil {\n\t\t\treturn none, err\n\t\t}\n"},
	{"residual.go", "TestPartAfterAnEnd", "what was ended leaves nothing behind",
		"r.pictureOf(quick, windows[i].clone(), areas[i]", "r.pictureOf(quick, windows[i], areas[i]"},
	{"planes.go", "TestKeepInvalid", "samples that are no numbers are refused unless they are asked for",
		"err != nil && !o.KeepInvalid {", "err != nil && false {"},
	{"invalid.go", "TestKeepInvalid", "samples that are no numbers do not change the others",
		"invalid[i].Union(missing)", "invalid[i].Without(invalid[i]).Union(missing)"},
	{"memory.go", "TestMemory$", "the estimate of memory counts the grain", "\tif o.Grain > 0 {\n", "\tif false {\n"},
	{"invalid.go", "TestOnlyInvalid", "a picture without a number is no error",
		"\tif m.Len() == len(p) {\n\t\tclear(p)\n\t}\n", ""},
}), in("internal/unet", []change{
	{"denoise.go", "TestDenoiseStopsWithTheContext", "the network ends with its context",
		"\t\t\tif r.part(x, y); r.err != nil {", "\t\t\tif r.part(x, y); false {"},
}))
