// Package faults holds no code: its test does to the program what the world does to it, and prints a table with a row for
// each kind of fault: how many cases, how many failed, the longest and the largest.
//
//	go test ./internal/faults -v          a few cases of each
//	go test ./internal/faults -v -full    hundreds; takes long
//	go test ./internal/faults -v -run F20
//
// The numbers F1, F2, ... are those of the project's list of faults; other packages have tests that are named by them too.
// To add a row, add a file with a call of fault in a variable declaration; see rows_batch_test.go.
package faults
