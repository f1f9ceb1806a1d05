package imageio

import "bytes"

// scanHeader reads the header of a scan and prepares its components.
func (d *jpegDecoder) scanHeader(body []byte) (*jpegScan, error) {
	if len(body) < 1 || len(body) != 4+2*int(body[0]) || body[0] < 1 || body[0] > 4 {
		return nil, damagedf(JPEG, "bad scan header")
	}
	if !d.framed {
		return nil, damagedf(JPEG, "a scan before the frame header")
	}
	if d.scans == maxScans {
		return nil, tooManyScans(d.scans + 1)
	}
	n := int(body[0])
	s := &jpegScan{jpegDecoder: d}
	from, to, high, low := int(body[1+2*n]), int(body[2+2*n]), int(body[3+2*n]>>4), int(body[3+2*n]&15)
	if d.progressive {
		bad := from > to || to > 63 || from == 0 && to != 0 || from > 0 && n > 1 || low > 13 || high != 0 &&
			high != low+1
		if bad {
			return nil, damagedf(JPEG, "bad progressive scan")
		}
		s.refine = high != 0
	} else if from != 0 || to != 63 || high != 0 || low != 0 {
		d.warn("scan parameters of a progressive file in one that is none")
	}
	blocks := 0
	for i := range n {
		c, err := d.scanComponent(body[1+2*i], body[2+2*i], s.list)
		if err != nil {
			return nil, err
		}
		c.coding.from, c.coding.to, c.coding.low = from, to, uint(low)
		if d.progressive {
			d.checkOrder(c, high)
		}
		s.list, blocks = append(s.list, c), blocks+c.h*c.v
	}
	if n > 1 && blocks > 10 {
		return nil, damagedf(JPEG, "a scan with units of %d blocks", blocks)
	}
	d.scans++
	return s, nil
}

// scanComponent prepares the component with a name for a scan. selectors are the numbers of its Huffman tables.
func (d *jpegDecoder) scanComponent(name, selectors byte, before []*jpegComponent) (*jpegComponent, error) {
	for i := range d.components {
		c := &d.components[i]
		if d.head.frameBody[6+3*i] != name {
			continue
		}
		for _, b := range before {
			if b == c {
				return nil, damagedf(JPEG, "a scan with the same component twice")
			}
		}
		dc, ac := selectors>>4, selectors&15
		if d.arithmetic != nil {
			c.coding = scanCoding{dcTable: dc, acTable: ac}
		} else {
			if dc > 3 || ac > 3 || d.dc[dc] == nil || d.ac[ac] == nil {
				return nil, damagedf(JPEG, "a scan without Huffman tables")
			}
			c.coding = scanCoding{dc: d.dc[dc], ac: d.ac[ac]}
		}
		if c.scanned {
			return c, nil
		}
		if c.steps = d.tables[c.table]; c.steps == nil {
			return nil, damagedf(JPEG, "no quantisation table")
		}
		c.scanned = true
		if d.progressive {
			c.coefficients = make([]jpegBlock, c.blocks)
		} else if d.keep {
			c.samples = bytes.Repeat([]byte{128}, 64*c.blocks) // of blocks that are missing
		} else {
			c.samples = make([]byte, 64*c.blocks)
		}
		return c, nil
	}
	return nil, damagedf(JPEG, "a scan of an unknown component")
}

// checkOrder warns of scans that do not follow on each other: a bit that is sent twice, or one that is left out.
func (d *jpegDecoder) checkOrder(c *jpegComponent, high int) {
	if c.bits == nil {
		c.bits = new([64]int8)
		for i := range c.bits {
			c.bits[i] = -1
		}
	}
	inOrder := c.coding.from == 0 || c.bits[0] >= 0
	for k := c.coding.from; k <= c.coding.to; k++ {
		inOrder = inOrder && high == max(int(c.bits[k]), 0)
		c.bits[k] = int8(c.coding.low)
	}
	if !inOrder {
		d.warn("scans in a wrong order")
	}
}
