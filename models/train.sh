#!/usr/bin/env bash
# Trains models of the kind of the shipped ones; two runs give the same bytes on a processor with the same kernel. DATA holds urban100/train,
# urban100/val, bsd400 and cbsd432 as image files, and polyu with the pairs NAME_real.JPG and NAME_mean.JPG. About an hour and a half on two
# cores, and hours more for the models that refine. Those for broad noise take 7 GB of memory.
set -euo pipefail
data=$(cd "${1:?usage: models/train.sh DATA}" && pwd)
cd "$(dirname "$0")/.."
train() { # RECIPE, and its flags
  go run ./cmd/blorc-denoise train "$1" --val "$data/urban100/val" --licence MIT --overwrite "${@:2}"
}
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
for s in 25.5 38.25 15 50 10 75 5; do
  train local --clean "$data/urban100/train" --clean "$data/bsd400" --sigma "$s" -o "$temp/local-$s.safetensors"
done
for s in 38.25 15 50 75 5; do cp "$temp/local-$s.safetensors" models; done # nonlocal-10 and nonlocal-25.5 hold the others
passes() { # SIGMA, and more flags
  train nonlocal --local "$temp/local-$1.safetensors" --clean "$data/urban100/train" --clean "$data/bsd400" --sigma "$@"
}
passes 25.5 -o models/nonlocal-25.5.safetensors
passes 15 --from models/nonlocal-25.5.safetensors --steps 0.34 --crops 240 --coarse=false -o "$temp/nonlocal-15.safetensors"
passes 10 --from "$temp/nonlocal-15.safetensors" --steps 0.15 --crops 120 --coarse=false -o models/nonlocal-10.safetensors
for s in 25.5 38.25; do
  train paper --clean "$data/urban100/train/img_024.png" --clean "$data/urban100/train/img_044.png" \
    --clean "$data/urban100/train/img_006.png" --sigma "$s" -o "models/paper-$s.safetensors"
done
mkdir "$temp/colour" "$temp/gray" # cbsd432 without its last 36 files, and bsd400 without crops of those
for f in $(LC_ALL=C ls "$data/cbsd432" | head -n -36); do ln -s "$data/cbsd432/$f" "$temp/colour/$f"; done
for f in $(ls "$data/bsd400" | grep -v -E '_(190|193|195|196|199|386|388|389|391|393|396|399|400)\.'); do ln -s "$data/bsd400/$f" "$temp/gray/$f"; done
go -C tools run ./micrographs -o "$temp/micrographs"
photos=(--clean "$temp/colour" --clean "$temp/gray" --clean "$data/urban100/train")
luma=("${photos[@]}" "${photos[@]}" --clean "$temp/micrographs" --seed 1)
train luma "${luma[@]}" -o models/luma-25.safetensors
for s in 10 25.5; do # the passes once more, now that what luma makes of their pilots is known
  coarse=true
  case $s in 10) coarse=false ;; esac
  train nonlocal --from nonlocal --pilots shipped --clean "$temp/colour" --clean "$data/urban100/train" --clean "$temp/gray" --clean "$data/urban100/train" --sigma "$s" --steps 0.75 --crops 480 \
    --coarse=$coarse -o "models/nonlocal-$s.safetensors"
done
train chroma --clean "$temp/colour" --clean "$data/urban100/train" --seed 1 -o models/chroma-25.safetensors
level() { go -C tools run ./level -data "$data" -drawn "$temp/level-drawn.jsonl" "$@"; }
level draw
level -final broad
(cd models && sha256sum *.safetensors >SHA256SUMS)
