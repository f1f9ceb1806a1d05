#!/usr/bin/env bash
# Trains the shipped models again, byte for byte on a processor with the same kernel. DATA holds urban100/train,
# urban100/val and bsd400 as PNG files. About a quarter of an hour on two cores.
set -euo pipefail
data=$(cd "${1:?usage: models/train.sh DATA}" && pwd)
cd "$(dirname "$0")/.."
train() {
  go run ./cmd/blorc-denoise train --val "$data/urban100/val" --licence MIT --overwrite "$@"
}
for s in 25.5 38.25 15 50 10 75 5; do
  train --clean "$data/urban100/train" --clean "$data/bsd400" --sigma "$s" -o "models/local-$s.safetensors"
done
for s in 25.5 38.25; do
  train --recipe paper --clean "$data/urban100/train/img_024.png" --clean "$data/urban100/train/img_044.png" \
    --clean "$data/urban100/train/img_006.png" --sigma "$s" -o "models/paper-$s.safetensors"
done
(cd models && sha256sum *.safetensors >SHA256SUMS)
