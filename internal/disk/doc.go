// Package disk is how the rest of the module changes files: writing a file so that it is never seen half done, sweeping
// up what killed processes left, and working below an open folder.
//
// A Folder is an open folder. Its methods take names relative to it and reach nothing outside it, even if somebody
// renames folders or puts links in their place meanwhile. There are two ways to a folder below it:
//
//   - Sub follows no link in any part of the name. Use it for what others may write to, such as an upload folder.
//   - Below follows links as long as they stay inside the folder (as os.Root does). Use it for what belongs to the
//     user.
//
// Flushing has one policy: a file is flushed before it gets its name, and its folder is flushed after that. A file
// system that cannot flush folders, and a folder that may not be opened for reading, are no errors.
package disk
