// Package test runs the plug-ins of contrib in the programs that they are for, without a screen, and compares the
// pixels with those of blorc-denoise itself. The script run installs the programs (on Debian or Ubuntu) and starts the
// tests, which need the build tag hosts. A program that is missing makes them fail.
package test
