// Package chart draws the noise of an image: charts with labelled axes as SVG, and maps over a picture beside a chart
// as SVG or PNG.
//
// A chart is a file of its own, readable on light and on dark backgrounds, or a small part of a page, which gives the
// colours. All charts have the same axes; a look says how large they are.
package chart
