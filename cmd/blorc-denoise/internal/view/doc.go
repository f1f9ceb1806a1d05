// Package view shows files before and after denoising on a page that a browser on the same machine opens.
//
// # The page
//
// The server listens on a loopback address. It holds one picture, the one that is shown, and a run: the denoised
// samples of it for one kind of noise and one quality, in tiles. What the page shows is denoised first, at fast
// quality, then at the chosen quality, then the rest of the picture. Large pictures get a first look: what is visible
// is denoised for the noise that is measured there, before that of the whole picture is known. The page gets tiles
// before and after the denoising, and what was removed of the grain. It blends them itself, so strength, luma, chroma
// and grain need no new run.
//
// Files are saved by the function that the caller gives, which denoises them as a whole. So a saved file has the bytes
// that the command line gives.
//
// # Who may use it
//
// Every address begins with a random token of 192 bits that is compared in constant time. The Host header must be the
// address of the server, so a name that leads here gives nothing. The Origin and Sec-Fetch-Site headers must be those
// of the page itself, so other pages cannot send anything. The page may load nothing from elsewhere
// (Content-Security-Policy). No request names a file of the disk: files are numbers in a list. The page may add the
// bytes of pictures to it, which get a name without folders, or ask for a window of the system in which the user
// chooses files. Bodies, headers, times and connections have limits.
//
// The browser is started with an address that works once, since other users of the machine can see command lines.
package view
