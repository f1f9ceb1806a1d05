// Package compare writes pages that show images before and after denoising: a single HTML file with everything in it,
// which loads nothing.
//
// The crops at 100 % are chosen by the program (see chooseSpots), so that they show what matters: a flat area, an edge,
// texture, and where most was changed.
package compare
