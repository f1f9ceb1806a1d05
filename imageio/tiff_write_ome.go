package imageio

import (
	"bytes"
	"regexp"
)

var (
	omeRoot  = regexp.MustCompile(`<(?:\w+:)?OME\s[^>]*?\bUUID\s*=\s*["']([^"']+)["']`)
	omeUUID  = regexp.MustCompile(`<(?:\w+:)?UUID\b[^>]*>\s*([^<\s]+)\s*</`)
	fileName = regexp.MustCompile(`\s+FileName\s*=\s*(?:"[^"]*"|'[^']*')`)
)

var (
	omeType = regexp.MustCompile(`(\sType\s*=\s*["'])\w+`)
	omeBits = regexp.MustCompile(`\sSignificantBits\s*=\s*["']\d+["']`)
)

// deepOME changes an image description that is OME-XML to say that samples have a depth of WriteOptions.
func deepOME(text []byte, d Depth) []byte {
	name := "uint16"
	if d.isFloat() {
		name = "float"
	}
	return omePixels.ReplaceAllFunc(text, func(element []byte) []byte {
		return omeBits.ReplaceAll(omeType.ReplaceAll(element, []byte("${1}"+name)), nil)
	})
}

// ownOMEPlanes changes an image description that is OME-XML. Elements that say which file holds a plane name it by its
// UUID and, if they like, by its file name. The name is removed where the UUID names the file itself. Under its old
// name a program would find the source, and would show its noisy planes instead of these.
func ownOMEPlanes(text []byte) []byte {
	if !bytes.Contains(text, []byte("FileName")) {
		return text
	}
	root := omeRoot.FindSubmatch(text)
	if root == nil {
		return text
	}
	return omeUUID.ReplaceAllFunc(text, func(element []byte) []byte {
		if uuid := omeUUID.FindSubmatch(element)[1]; !bytes.Equal(uuid, root[1]) {
			return element
		}
		return fileName.ReplaceAll(element, nil)
	})
}
