#!/bin/sh
# Denoises the files and folders selected in Nautilus, Nemo or Caja: the results stand beside their sources as NAME-denoised.
# Dolphin and other programs give the names as arguments instead, after --best for the best quality.
program=${BLORC_DENOISE:-blorc-denoise}
quality=balanced
if [ "${1-}" = --best ]; then
  quality=best
  shift
fi
if [ $# -eq 0 ]; then
  names=${NAUTILUS_SCRIPT_SELECTED_FILE_PATHS:-${NEMO_SCRIPT_SELECTED_FILE_PATHS:-$CAJA_SCRIPT_SELECTED_FILE_PATHS}}
else
  names=$(printf '%s\n' "$@")
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
trap 'exit 130' INT TERM

# The files go to the program as one list, unless there are folders only. A folder in a list is an error, so each folder is a run of its own.
files=$(printf '%s\n' "$names" | while IFS= read -r name; do
  [ -z "$name" ] || [ -d "$name" ] || printf '%s\n' "$name"
done)
code=0
if [ -n "$files" ] || [ -z "$names" ]; then
  printf '%s\n' "$files" | "$program" --quality $quality @- 2>"$log" || code=$?
fi
while IFS= read -r name; do
  [ ! -d "$name" ] || "$program" -r --quality $quality -o "${name%/}-denoised/" -- "$name" </dev/null 2>>"$log" || code=$?
done <<END
$names
END
title="Images denoised"
[ $code -eq 0 ] || title="blorc-denoise failed"
if command -v notify-send >/dev/null; then
  # A failure may stand anywhere in a long log.
  notify-send -- "$title" "$(grep '^blorc-denoise: ' "$log" | head -n 5; grep -v '^blorc-denoise: ' "$log" | tail -n 3)"
fi
[ $code -eq 0 ] || cat "$log" >&2
exit $code
