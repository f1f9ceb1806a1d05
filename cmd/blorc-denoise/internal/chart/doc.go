// Package chart draws the noise of an image as SVG for pages: its level over brightness, and the histogram of what was
// removed.
//
// Lines and letters take their colours from the page through classes (axis, dots, line, bars), so that charts follow a
// dark or a light design. Each chart has a title in words for screen readers.
package chart
