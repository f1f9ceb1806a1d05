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
