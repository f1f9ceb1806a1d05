package imageio

// tiffYCbCr holds what YCbCr samples add to red, green and blue (TIFF 6.0, section 21), as in libtiff: rounded for
// luma, red and blue, and with 16 bits of fraction for green.
type tiffYCbCr struct {
	luma, red, blue, greenCb, greenCr [256]int32
}

// clumped reports whether the luma of a few pixels and their chroma are stored together.
func (l *tiffLayout) clumped() bool {
	return l.photometric == ycbcr && l.compression != compressionJPEG && !l.planar && l.across2*l.down2 > 1
}

// readYCbCr reads the tags of YCbCr colour.
func (l *tiffLayout) readYCbCr(dir *ifd) error {
	if l.photometric != ycbcr {
		return nil
	}
	l.across2, l.down2 = 2, 2
	factors, err := dir.uints(tagYCbCrSampling, 2)
	switch {
	case err != nil:
		return err
	case len(factors) == 2:
		l.across2, l.down2 = int64(min(factors[0], 5)), int64(min(factors[1], 5))
	}
	for _, f := range []int64{l.across2, l.down2} {
		if f != 1 && f != 2 && f != 4 {
			return damagedf(TIFF, "chroma samples of %d x %d pixels", l.across2, l.down2)
		}
	}
	switch {
	case l.compression == compressionJPEG && l.planar:
		return unsupportedTIFF("YCbCr colour in planes, with JPEG compression,")
	case l.compression == compressionJPEG:
		return nil
	case l.planar && l.across2*l.down2 > 1:
		return unsupportedTIFF("subsampled YCbCr colour in planes")
	case l.clumped() && len(l.extra) > 0:
		return unsupportedTIFF("subsampled YCbCr colour of %d samples", l.samples)
	}
	weights, err := dir.fractions(tagYCbCrWeights, 3)
	if err != nil {
		return err
	}
	if len(weights) < 3 || weights[1] == 0 {
		weights = []float64{0.299, 0.587, 0.114}
	}
	ends, err := dir.fractions(tagReferenceBW, 6)
	if err != nil {
		return err
	}
	if len(ends) < 6 {
		ends = []float64{0, 255, 128, 255, 128, 255}
	}
	l.chroma = newYCbCr(weights, ends)
	return nil
}

// newYCbCr computes the tables from the weights of red, green and blue in luma, and the levels of black and white.
func newYCbCr(weights, ends []float64) *tiffYCbCr {
	const one, half = 1 << 16, 1 << 15
	fixed := func(v, top float64) int64 { return int64(min(max(v, 0), top)*one + 0.5) }
	toRed, toBlue := 2-2*weights[0], 2-2*weights[2]
	red, blue := fixed(toRed, 2), fixed(toBlue, 2)
	greenCr, greenCb := -fixed(weights[0]*toRed/weights[1], 2), -fixed(weights[2]*toBlue/weights[1], 2)
	code := func(v int, black, white, top float64) int64 {
		spread := white - black
		if spread == 0 {
			spread = 1
		}
		return int64(min(max((float64(v)-black)*top/spread, -1<<15), 1<<15))
	}
	t := new(tiffYCbCr)
	for i := range 256 {
		cb := code(i-128, ends[2]-128, ends[3]-128, 127)
		cr := code(i-128, ends[4]-128, ends[5]-128, 127)
		t.red[i], t.blue[i] = int32((red*cr+half)>>16), int32((blue*cb+half)>>16)
		t.greenCr[i], t.greenCb[i] = int32(greenCr*cr), int32(greenCb*cb+half)
		t.luma[i] = int32(code(i, ends[0], ends[1], 255))
	}
	return t
}

// convert turns planes of Y, Cb and Cr into red, green and blue.
func (t *tiffYCbCr) convert(planes [][]float32) {
	for i := range planes[0] {
		y, cb, cr := quantise(planes[0][i], 255), quantise(planes[1][i], 255), quantise(planes[2][i], 255)
		luma := t.luma[y]
		planes[0][i] = unitOf[clamp8(luma+t.red[cr])]
		planes[1][i] = unitOf[clamp8(luma+(t.greenCb[cb]+t.greenCr[cr])>>16)]
		planes[2][i] = unitOf[clamp8(luma+t.blue[cb])]
	}
}

// putClumps stores a row of clumps, which begins dy rows below the top of the block. A clump is the luma of the pixels
// that share their chroma, row by row, then Cb and Cr.
func (d *tiffDecoder) putClumps(a tiffArea, dy int64) {
	size := d.across2*d.down2 + 2
	for x := range a.width {
		clump := d.row[x/d.across2*size:][:size]
		for v := range min(d.down2, a.rows-dy) {
			at := (a.y+dy+v)*d.width + a.x + x
			d.channels[0][at] = unitOf[clump[v*d.across2+x%d.across2]]
			d.channels[1][at], d.channels[2][at] = unitOf[clump[size-2]], unitOf[clump[size-1]]
		}
	}
}
