#!/usr/bin/env bash
# What the parts of training a non-local stage are worth: one pass at sigma 25.5 from the DCT, with everything, and without
# learned transforms, without exact patterns, without the loss of the aggregated image. Prints the mean PSNR on the validation
# crops. DATA holds urban100/train, urban100/val and bsd400 as for train.sh.
#
# The runs are short, and the figures those of one seed: hundredths of a dB mean little. FLAGs of 'blorc-denoise train' are
# added: --steps 0.25 --crops 100 trains longer, --seed 2 takes other noise, crops and windows.
set -euo pipefail
data=$(cd "${1:?usage: models/ablation.sh DATA [FLAG...]}" && pwd)
shift
cd "$(dirname "$0")/.."
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
go build -o "$out/blorc-denoise" ./cmd/blorc-denoise
printf '%-12s %s\n' without dB
for ablate in nothing transforms pattern loss; do
  "$out/blorc-denoise" train --recipe nonlocal --passes 1 --steps 0.08 --crops 40 --sigma 25.5 --val "$data/urban100/val" \
    --clean "$data/urban100/train" --clean "$data/bsd400" --ablate "${ablate#nothing}" "$@" -o "$out/$ablate.safetensors" >&2
  # with the digits that the file has and 'model info' leaves out
  printf '%-12s %.3f\n' "$ablate" "$(head -c 4096 "$out/$ablate.safetensors" | grep -ao '"validation_psnr":"[^"]*"' | cut -d'"' -f4)"
done
