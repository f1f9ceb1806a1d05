// Package batch turns the words of a command line into files to read and names to write, and runs many files side by
// side. It knows what an image file is called and how large its header says it is, not what is done with it.
//
// The steps are Find (arguments to inputs), Name (inputs to outputs; conflicts are refused before any work), Output.Due
// (what is still to do), Measure (the memory that a file will take) and Run. Its promises:
//
//   - Nothing is read or written through a link that was met in a folder, or that takes the place of a folder during
//     the run. A link named by its own path is followed.
//   - A FIFO, device or socket is never opened.
//   - Every output lies below the output folder. Links in that folder are followed only if they stay inside.
//   - No two inputs have one output, and no output is an input, also under another name (links, hard links, case).
//   - An output is absent, the old file or the whole new one, at any instant.
//   - An output is made of one version of its input. If the input changes during the work, no output of the older
//     version is left, and an output that existed stays until a better one has its name.
//   - A file that fails does not keep the others from being done. A full disk ends the batch.
//   - Running again does what is left.
package batch
