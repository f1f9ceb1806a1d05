package main

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/CycloneDX/cyclonedx-go"
)

const repository = "https://github.com/blorc-denoise/blorc-denoise"

// makeBOM writes the bill of materials: the modules of all programs with their licences, and the models.
func (r *release) makeBOM() error {
	bom := cyclonedx.NewBOM()
	bom.SerialNumber = serial(r.source.version + r.source.commit)
	main := component(module{path: "github.com/blorc-denoise/blorc-denoise", version: "v" + r.source.version,
		licence: "MIT"})
	main.Type = cyclonedx.ComponentTypeApplication
	main.ExternalReferences = &[]cyclonedx.ExternalReference{{Type: cyclonedx.ERTypeVCS, URL: repository}}
	bom.Metadata = &cyclonedx.Metadata{Timestamp: r.source.date.Format("2006-01-02T15:04:05Z"), Component: &main}
	var components []cyclonedx.Component
	var needs []string
	for _, m := range r.modules {
		c := component(m)
		components = append(components, c)
		needs = append(needs, c.BOMRef)
	}
	models, err := r.models()
	if err != nil {
		return err
	}
	for _, c := range models {
		components = append(components, c)
		needs = append(needs, c.BOMRef)
	}
	bom.Components = &components
	bom.Dependencies = &[]cyclonedx.Dependency{{Ref: main.BOMRef, Dependencies: &needs}}
	return create(filepath.Join(r.out, fmt.Sprintf("%s_%s_sbom.cdx.json", name, r.source.version)),
		func(w io.Writer) error {
			return cyclonedx.NewBOMEncoder(w, cyclonedx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bom,
				cyclonedx.SpecVersion1_6)
		})
}

func component(m module) cyclonedx.Component {
	url := "pkg:golang/" + m.path + "@" + m.version
	c := cyclonedx.Component{BOMRef: url, PackageURL: url, Type: cyclonedx.ComponentTypeLibrary, Name: m.path,
		Version: m.version}
	if strings.Contains(m.licence, " ") {
		c.Licenses = &cyclonedx.Licenses{{Expression: m.licence}}
	} else {
		c.Licenses = &cyclonedx.Licenses{{License: &cyclonedx.License{ID: m.licence}}}
	}
	return c
}

// models returns the learned models inside the program. The list with checksums is a file of the source.
func (r *release) models() (components []cyclonedx.Component, err error) {
	f, err := os.Open(filepath.Join(r.root, "models", sumsName))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		sum, model, ok := strings.Cut(lines.Text(), "  ")
		if !ok {
			return nil, fmt.Errorf("models/%s: no checksum in %q", sumsName, lines.Text())
		}
		components = append(components, cyclonedx.Component{BOMRef: "model:" + model,
			Type: cyclonedx.ComponentTypeMachineLearningModel, Name: model,
			Hashes:   &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: sum}},
			Licenses: &cyclonedx.Licenses{{License: &cyclonedx.License{ID: "MIT"}}}})
	}
	return components, errors.Join(lines.Err())
}

// serial makes a UUID of version 8 from a text, so that the same release has the same one.
func serial(text string) string {
	h := sha256.Sum256([]byte(text))
	h[6] = h[6]&0x0f | 0x80
	h[8] = h[8]&0x3f | 0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", h[:4], h[4:6], h[6:8], h[8:10], h[10:16])
}
