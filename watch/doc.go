// Package watch turns a folder into jobs: each content that comes into the folder is given to a Work once, and its
// output is written to the same place under another folder. It knows nothing of images.
//
// These are its promises. Each has tests that carry its number.
//
//  1. A file is taken when its size, times and inode have not changed for Options.Settle of the monotonic clock and,
//     where the system can tell, nobody has it open for writing. Until then it waits, for as long as it takes.
//  2. The bytes that a job gets are of one version of the file. If the file changes or goes while it is read, it waits
//     again.
//  3. Hidden files, and files whose names say that they are unfinished, are left alone until they are renamed.
//  4. The scan finds every file, whatever events were lost. Events only make it faster.
//  5. A content, together with Options.Params, is done once: not again under another name, at a later time, or after a
//     restart. Neither clocks nor names decide what is the same.
//  6. The output is on the disk before the ledger says so, and the ledger is on the disk before the input is touched.
//  7. Nothing in the output folder is ever replaced. If a name is taken, the output gets digits of the job's ID. A file
//     that the daemon did not make, or that was changed since, is not renamed. If such a file has the same bytes as the
//     output, it counts as the output.
//  8. An input is deleted or moved only while its output is there as it was made, and only in the version that was
//     done.
//  9. A job that fails for a reason other than its content is tried again without limit, with growing pauses, and holds
//     up no other file by more than half a minute.
//  10. A verdict is about a content. It stands with its reason in the ledger, in the log, and beside the file in
//     quarantine. A file that changes is tried again, and a file whose writer may only have paused is not moved.
//  11. In a Child, a job that panics, hangs or takes all memory does not end the daemon, and is set aside after some
//     tries, also if it takes the daemon with it.
//  12. Killed at any instant and started again, the daemon ends with the same files as an undisturbed one.
//  13. A ledger that is cut off anywhere, or has a damaged line, loses what stood there and nothing else. Its size is
//     in proportion to the contents that were ever done.
//  14. Only one daemon uses an output folder at a time. Its lock ends with its process.
//  15. Folders that lie in one another, under whatever names, are refused, and so are daemons that feed each other in a
//     circle.
//  16. When its context ends, the daemon finishes the job at hand if that takes no longer than Options.Grace.
//  17. An input folder that vanishes and comes back, in whole or in part, does not end the daemon.
//  18. Wrong clocks, and clocks that are changed, make no difference.
//  19. Links, FIFOs, sockets and devices are neither followed nor opened.
//  20. Memory grows with the files that are there and by some 50 bytes for each content done. Descriptors and
//     goroutines do not grow.
//  21. Nothing outside the input folder is read, moved or deleted, even if folders below it become links or are renamed
//     at any instant. No link is followed below it, not even to a place inside it, so no file is taken under a name
//     that is not its own. A file that leaves with its folder keeps its name.
//  22. Nothing is written outside the output folder, even if folders below it become links. Links that stay inside it
//     are followed.
//  23. The daemon's own files, and the folder that they are in, are never links. A link in their place is an error at
//     the start.
//  24. The output of the latest content of an input has the plain name. An older output of the same input gets digits
//     of its own ID, without a moment in which the plain name is absent. Where promise 7 or the file system stands
//     against that, the newer output keeps the longer name, and Status.Renamed says so. The same content with other
//     parameters is no later content: its output gets the longer name.
//  25. Status.Failed lists the files that still wait for somebody: those that failed, are still there, in the input
//     folder or in quarantine, and were not done since. Status.Past has the other failures. Status.Pending says how
//     often a file was tried and why that failed.
//  26. A file whose content was done under another name gets that output under its own name too, as Options.Duplicates
//     says, unless that output is gone or changed. Promise 7 holds for it. If the name is taken, it keeps the longer
//     name.
package watch
