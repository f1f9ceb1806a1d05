package main

// jsonHelp documents what --json prints. It is part of the interface.
const jsonHelp = `With --json there is one object for each file on stdout, on one line, as soon as the file is done,
or on stderr where images go to stdout. What is not known is left out:
  path, output          as given or found; path_base64, output_base64 if they are not UTF-8
  width, height, bytes  pixels of the first page as stored, size of the input
  status                done, copied (no noise, or not supported, see reason), skipped, failed, interrupted, planned (--dry-run)
  pages, copied_pages   pages of the file, and how many of them were copied because they are not supported
  noise                 kind: gaussian (sigma; sigma_chroma where that of the colours differs; sigma_file: sigma in
                        levels of the file, where those are not 0-255), camera (level; level_chroma where that of the
                        colours differs), poisson (gain, offset, read_noise; channels where they differ between red, green and
                        blue), curve (range of sigma in levels of the file) or none; places: by how much the noise is
                        stronger than on average, at least and at most, where places differ; enlarged: by how much the
                        picture was made smaller to remove its noise, because it seems to have been enlarged; rule:
                        which rule of the finder has told it (drawn, brightness, colours, photons, white, broad, curve, steps,
                        enlarged or places)
  page_noise            the noise of each page of a file with several pages; noise is that of the first noisy page
  sigma, estimated      level that the models were told, in grey levels of 0-255; whether it was found in the file
  model                 name of the model and its sigma
  started, seconds      start (RFC 3339, UTC) and duration of the work on the file
  input_sha256, output_sha256  digests of the bytes of both files
  reason                why a file was skipped or copied, or is to be copied
  warnings              what is wrong with a file that could be read nevertheless, or that its name changes its format
  error                 kind (usage, format, unsupported, limit, io, interrupted, internal) and message
  version               of the program
  options, fingerprint  what the output depends on besides the input, and a digest of it: files with the same input and
                        fingerprint have the same output (if the version and the instruction set are the same)

With --progress json there are objects on stderr that say how far each file is, ten a second at most:
  path                  as above, with path_base64
  done                  share of the work on the file, from 0 to 1; 1 when the output has its name
  seconds_left          until the file is done; for images that are denoised together, until all of them are
  pages, pages_done     pages of a file that has several, and how many of them are done; for images that are denoised
                        together, the number of images (not known in a pipe)`
