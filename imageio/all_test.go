package imageio

import "os"

// all tells tests that start hundreds of other programs to try every combination. By default each value of each setting
// is tried, but not with every value of the others.
var all = os.Getenv("BLORC_ALL") != ""
