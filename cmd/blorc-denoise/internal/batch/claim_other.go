//go:build !unix

package batch

import "os"

// claimable is false where a file that is open cannot be replaced.
const claimable = false

func claimed(*os.File) bool { return true }

func waitForLock(*os.File) {}
