#!/bin/sh
# Denoises the files and folders selected in Nautilus, Nemo or Caja: the results stand beside their sources as NAME-denoised.
# Dolphin and other programs give the names as arguments instead.
program=${BLORC_DENOISE:-blorc-denoise}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
trap 'exit 130' INT TERM

if [ $# -eq 0 ]; then
  names=${NAUTILUS_SCRIPT_SELECTED_FILE_PATHS:-${NEMO_SCRIPT_SELECTED_FILE_PATHS:-$CAJA_SCRIPT_SELECTED_FILE_PATHS}}
  printf '%s' "$names" | grep . | "$program" -r @- 2>"$log"
else
  for name; do printf '%s\n' "$name"; done | "$program" -r @- 2>"$log"
fi
code=$?
title="Images denoised"
[ $code -eq 0 ] || title="blorc-denoise failed"
if command -v notify-send >/dev/null; then
  notify-send "$title" "$(tail -n 3 "$log")"
fi
[ $code -eq 0 ] || cat "$log" >&2
exit $code
