package imageio

// readCoding reads the tags of a compression that needs some.
func (l *tiffLayout) readCoding(dir *ifd) error {
	switch l.compression {
	case compressionFax3, compressionFax4:
		tag := uint16(tagT4Options)
		if l.compression == compressionFax4 {
			tag = tagT6Options
		}
		var err error
		if l.faxOptions, err = dir.uint(tag, 0); err != nil {
			return err
		}
		if l.faxOptions&faxUncompressed != 0 {
			l.faxOptions &^= faxUncompressed // it is allowed, and a code that nobody uses would announce it
		}
	case compressionJPEG:
		e := dir.find(tagJPEGTables)
		if e == nil {
			return nil
		}
		if e.count > 1<<16 {
			return damagedf(TIFF, "%d bytes of JPEG tables", e.count)
		}
		var err error
		l.jpegTables, err = dir.value(e, 1<<16)
		return err
	}
	return nil
}

// jpegBlock decodes a strip or tile that is a JPEG file, whose tables may be elsewhere (Adobe Photoshop TIFF Technical
// Note 2). The tag of the colour decides what the components mean, and not the JPEG file.
func (d *tiffDecoder) jpegBlock(i int, a tiffArea) error {
	b := d.list[i]
	data := make([]byte, b.size)
	if n, err := d.file.ReadAt(data, b.at); n < len(data) {
		return readError(err)
	}
	if len(data) < 4 || data[0] != 0xff || data[1] != markerSOI {
		return damagedf(TIFF, "strip or tile %d is no JPEG file", i)
	}
	components := int64(d.samples)
	if d.planar {
		components = 1
	}
	h := scanJPEG(data)
	if err := h.check(ReadOptions{MaxPixels: 4 * (d.blockWidth + 16) * (d.blockHeight + 16)},
		b.size+int64(len(d.jpegTables))); err != nil {
		return err
	}
	if h.width < a.width || h.height < a.rows || int64(h.components) != components {
		return damagedf(TIFF, "strip or tile %d is a JPEG file of %d x %d pixels and %d components", i, h.width,
			h.height, h.components)
	}
	j, err := decodeScans(data, h, jpegOptions{workers: d.workers, tables: d.jpegTables, ctx: d.ctx, keep: d.keep})
	if err != nil {
		return err
	}
	if err := d.putScans(j, int(h.width), a); err != nil {
		return err
	}
	if j.damaged != "" {
		d.done = max(0, h.height-int64(j.missing))
		return damagedf(TIFF, "strip or tile %d: %s", i, j.damaged)
	}
	return nil
}

// putScans stores the components of a JPEG file, w samples wide, in an area.
func (d *tiffDecoder) putScans(j *jpegDecoder, w int, a tiffArea) error {
	scratch := make([][]byte, len(j.components))
	for c := range scratch {
		scratch[c] = make([]byte, w+4)
	}
	var rows [4][]byte
	for y := range a.rows {
		for c := range scratch {
			rows[c] = j.components[c].row(int(y), w, scratch[c])[:a.width]
		}
		at := (a.y+y)*d.width + a.x
		if d.photometric == ycbcr {
			var out [4][]float32
			for c := range 3 {
				out[c] = d.channels[c][at : at+a.width]
			}
			putYCbCr(out, rows, &lightSamples)
			continue
		}
		d.row = d.row[:0]
		for x := range a.width {
			for c := range scratch {
				d.row = append(d.row, rows[c][x])
			}
		}
		if err := d.put(at, at+a.width, a.plane); err != nil {
			return err
		}
	}
	return nil
}
