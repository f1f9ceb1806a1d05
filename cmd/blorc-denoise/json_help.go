package main

// jsonHelp documents what --json prints. It is part of the interface.
const jsonHelp = `With --json the program prints one object for each file on stdout, on one line,
as soon as the file is done. If images go to stdout, the objects go to stderr.
Unknown fields are left out:
  path, output          as given or found; path_base64, output_base64 if they
                        are not UTF-8
  width, height, bytes  pixels of the first page as stored, size of the input
  status                done, copied (no noise, or not supported, see reason),
                        skipped, failed, interrupted, planned (--dry-run)
  pages, copied_pages   pages of the file, and how many of them were copied
                        because they are not supported
  noise                 kind: one of
                          gaussian  white noise: sigma; sigma_chroma if the
                                    colours differ; sigma_file is sigma in gray
                                    levels of the file if those are not 0-255
                          camera    spatially correlated noise: level;
                                    level_chroma if the colours differ; range
                                    if the fine part is known at each brightness
                          poisson   photon noise: gain, offset, read_noise;
                                    channels if red, green and blue differ
                          curve     signal-dependent noise of any form: the
                                    range of sigma in gray levels of the file
                          none      no noise
                        places: for spatially varying noise, the least and the
                        largest strength, divided by the mean
                        enlarged: the factor by which the program reduced a
                        picture that seems to be upsampled
                        rule: the detector that found the noise: synthetic,
                        brightness, channels, colour photons, inverse photons,
                        colour grain, colours, photons, white, correlated,
                        curve, steps, upsampled, places, raw ('help noise'
                        explains them)
  masked                samples without image content, which keep their values
                        (of the first noisy page): missing values, areas of one
                        value, hot, dead and lost pixels
  page_noise            the noise of each page of a file with several pages;
                        noise describes the first noisy page
  sigma, estimated      noise level that the models used, in gray levels of
                        0-255; whether it was estimated from the file
  model                 name of the model and its sigma
  margin                to denoise a large picture in parts, with the same noise
                        and options: the samples around a part that must be
                        given with it, and the multiple of samples where parts
                        begin
  started, seconds      start (RFC 3339, UTC) and duration of the work on the
                        file
  input_sha256, output_sha256
                        digests of the bytes of both files
  reason                why the program skipped or copied a file, or would copy
                        it
  warnings              faults of a file that the program has read nevertheless,
                        or that the name changes the format
  error                 kind (usage, format, unsupported, limit, io,
                        interrupted, internal) and message
  version               of the program
  options, fingerprint  all that determines the output besides the input, and a
                        digest of it: files with the same input and fingerprint
                        have the same output (if the version and the instruction
                        set are the same)

With --progress json the program prints the progress of each file on stderr, at
most ten objects a second:
  path                  as above, with path_base64
  done                  share of the work on the file, from 0 to 1; 1 when the
                        output has its name
  seconds_left          until the file is done; with --together or --burst,
                        until all images are done
  pages, pages_done     pages of a file with several pages, and how many of them
                        are done; with --together or --burst, images (pages is
                        unknown in a pipe)`
