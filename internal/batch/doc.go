// Package batch turns the words of a command line into files to read and names to write, and runs many files side by
// side. It knows what an image file is called and how large its header says it is, not what is done with it.
//
// The way is Find (arguments to inputs), Name (inputs to outputs, all conflicts refused before any work), Output.Due
// (what is still to do), Measure (the memory that a file will take) and Run. What it promises:
//
//   - Nothing is read or written through a link that was met in a folder. A link named by its own path is followed.
//   - A FIFO, device or socket is never opened.
//   - Every output lies under the output folder, also if there are links in that folder.
//   - No two inputs have one output, and no output is an input, by whatever name (links, hard links, case).
//   - An output is absent, the old file or the whole new one, at any instant.
//   - An output is made of one version of its input, also if that changes meanwhile.
//   - A file that fails does not keep the others from being done.
//   - Running again does what is left.
package batch
