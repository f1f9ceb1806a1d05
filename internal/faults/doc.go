// Package faults holds no code: its test injects faults into the program, and prints a table with a row for
// each kind of fault: how many cases, how many failed, the longest time and the largest memory.
//
//	go test ./internal/faults -v          a few cases of each
//	go test ./internal/faults -v -full    hundreds; takes long
//	go test ./internal/faults -v -run F20
//
// Each kind of fault has a number. Tests of other packages carry it too, as TestFaultF25 or in a row that they log.
// What must hold always: an output is absent, the old file or the whole new one; an input is never lost; a failure is
// told in a line with the name of the file; nothing hangs.
//
//	F1   images of other makers: those that come with the toolchain (imageio)
//	F2   damaged images: bytes changed, cut off, doubled (imageio)
//	F3   bombs: small files that declare much, or unpack to much (imageio)
//	F4   large images and stacks of pages in bounded memory
//	F5   samples that are no numbers: NaN and Inf (imageio)
//	F6   images of all sizes, also 1 x 1 (imageio)
//	F7   constant images and samples beyond full scale (imageio)
//	F8   parts of a file that a decoder could drop in silence (imageio)
//	F9   slow writers: a file grows, is filled or replaced in steps (watch)
//	F10  files that arrive by rename, by a hard link, or with old times (watch)
//	F11  names of unfinished and hidden files
//	F12  bursts of more files than the system's queue of events holds (watch)
//	F13  folders that come and go, also the input folder itself (watch)
//	F14  entries that are no files: FIFOs, sockets, devices, folders, links
//	F15  an output folder in the input folder, under whatever name; daemons that feed each other
//	F16  names that collide: two inputs with one output, an output that is an input
//	F17  odd names, and links in the output folder
//	F18  system calls that fail, one after the other, and disks that are full for a while
//	F19  missing permissions
//	F20  kill -9 at any instant
//	F21  loss of power: the order of writes and flushes; ledgers that are cut off or damaged
//	F22  signals: Ctrl-C and SIGTERM
//	F23  two daemons on one output folder (watch)
//	F24  clocks and file times that are wrong or set (watch)
//	F25  inputs that are replaced, rewritten, touched or deleted during the work
//	F26  inputs that are rewritten again and again (watch)
//	F27  poison: contents that crash, hang or exhaust the worker (watch)
//	F30  growth: memory, descriptors and the ledger over many files (watch)
//	F31  division of the work: processors, files side by side, memory, implementations of the loops
//	F32  nowhere to write: closed or full standard output, no TMPDIR, no HOME
//	F33  input folders that are swapped for links, renamed away or left by ".."
//	F34  output folders that are swapped for links
//	F35  links in the place of the daemon's own files (watch)
//	F36  an input that changes during the work: nothing stale is left, nothing good is lost
//	F37  a disk that is full in the middle of a batch
//	F38  an input that was taken half finished: the output of the latest content has the plain name (watch)
//	F39  no events from the system, because its limits are reached (watch)
//	F40  a reader of --json that stops reading
//	F41  100,000 files at the start (watch)
//	F42  few open files, little memory
//	F43  kills, swaps, full disks and slow writers at once (watch)
//	F44  signals at any moment, and how long the program goes on
//
// F28 and F29 are not used. To add a row, add a file with a call of fault in a variable declaration; see
// rows_batch_test.go.
package faults
