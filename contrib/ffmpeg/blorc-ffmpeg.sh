#!/bin/sh
# blorc-ffmpeg.sh IN OUT [FLAGS OF BLORC-DENOISE]: denoises each picture of a video on its own and keeps the sound.
# ENCODER may hold other flags of ffmpeg for the output. An OUT that exists is kept.
set -eu
[ $# -ge 2 ] || { echo "usage: $0 IN OUT [FLAGS]" >&2; exit 2; }
[ ! -e "$2" ] || { echo "$0: $2 exists" >&2; exit 1; }
# With "file:" before it, a name may hold a colon or begin with a dash. IN may also be an address.
in=$1
[ ! -e "$in" ] || in=file:$in
out=$2
shift 2
program=${BLORC_DENOISE:-blorc-denoise}
# One line for each entry: csv puts a comma behind the last one of a film that is rotated.
facts=$(ffprobe -v error -select_streams v:0 -show_entries stream=r_frame_rate,avg_frame_rate,field_order,color_range,color_space,color_transfer,color_primaries -of default=nw=1 "$in")
[ -n "$facts" ] || { echo "$0: no video in ${in#file:}" >&2; exit 1; }
fact() { printf '%s\n' "$facts" | sed -n "s/^$1=//p" | head -n 1; }
# The pictures in the pipe have no times, so they get one constant rate: the one that has a picture for each time of the film. The mean
# serves where that counts the two fields of a picture, or is only the unit of the times (90000, for example).
rate=$(printf '%s %s %s\n' "$(fact r_frame_rate)" "$(fact avg_frame_rate)" "$(fact field_order)" | awk '{
  split($1, r, "/"); split($2, m, "/")
  most = r[2] > 0 ? r[1] / r[2] : 0; mean = m[2] > 0 ? m[1] / m[2] : 0
  if (mean > 0 && (most == 0 || most == 2 * mean && $3 ~ /^[tb][tb]$/ || most > 120 && most > 1.5 * mean)) print $2; else if (most > 0) print $1
}')
[ -n "$rate" ] || { echo "$0: ${in#file:} has no frame rate" >&2; exit 1; }
# PNG holds RGB, and ffmpeg would make BT.601 of it without a word. Where the film says what it is, the output is and says the same, in one
# of the formats that have such a matrix (if ENCODER names an RGB format, there is none). Films without tags come back as they were.
tags=
for pair in color_primaries=color_primaries color_transfer=color_trc; do
  case $(fact "${pair%=*}") in
    '' | unknown | reserved) ;;
    *) tags=$tags:${pair#*=}=$(fact "${pair%=*}") ;;
  esac
done
matrix=$(fact color_space)
case $matrix in
  bt470bg | smpte170m) scale=bt601 ;;
  bt2020nc) scale=bt2020 ;;
  bt709 | fcc | smpte240m) scale=$matrix ;;
  *) scale= ;;
esac
case ${ENCODER-} in *rgb* | *bgr* | *gbr*) scale= ;; esac
filter=null
if [ -n "$scale" ]; then
  range=tv
  [ "$(fact color_range)" != pc ] || range=pc
  filter=scale=out_color_matrix=$scale:out_range=$range,format='yuv420p|yuv422p|yuv444p|yuv420p10|yuv422p10|yuv444p10|yuv444p12|yuv444p16'
  tags=$tags:colorspace=$matrix:range=$range
fi
[ -z "$tags" ] || filter=$filter,setparams=${tags#:}

# However this ends, its own temporary folders go, and nothing else. A shell runs a trap during wait, but not during a pipeline, so the
# three programs are jobs with named pipes between them. The film gets its name at the end.
pipes= part= jobs=
stop() {
  trap '' HUP INT TERM
  [ -z "$jobs" ] || kill $jobs 2>/dev/null || :
  wait
  exit "$1"
}
trap 'rm -rf ${pipes:+"$pipes"} ${part:+"$part"}' EXIT
trap 'stop 129' HUP
trap 'stop 130' INT
trap 'stop 143' TERM
pipes=$(mktemp -d)
part=$(mktemp -d -- "$(dirname -- "$out")/.blorc-denoise.XXXXXX")
film=$part/$(basename -- "$out")
mkfifo "$pipes/noisy" "$pipes/clean"

# PNG takes the widest samples that the source has, so 10-bit video passes as 16 bits. An ffmpeg must not take the standard input of the
# caller for commands.
ffmpeg -nostdin -v error -i "$in" -map 0:v:0 -vf "fps=$rate:start_time=0" -f image2pipe -c:v png - >"$pipes/noisy" 2>"$pipes/source" &
decode=$! jobs=$!
"$program" - "$@" <"$pipes/noisy" >"$pipes/clean" 2>"$pipes/log" &
denoise=$! jobs="$jobs $!"
ffmpeg -v error -n -f image2pipe -c:v png -framerate "$rate" -i - -i "$in" -map 0:v -map '1:a?' -c:a copy -vf "$filter" \
  ${ENCODER:--c:v libx264 -crf 16 -pix_fmt yuv420p} "file:$film" <"$pipes/clean" &
encode=$! jobs="$jobs $!"
failed= damaged=
wait $decode || damaged=yes
wait $denoise || failed=yes
[ -z "$failed" ] || cat "$pipes/log" >&2
wait $encode || failed=yes
jobs=
# ffmpeg passes over what it cannot read and mostly still ends with 0, so its messages count. That of a pipe which the next program has
# closed is no news.
if grep -v 'Broken pipe' "$pipes/source" >&2; then damaged=yes; fi
[ -z "$failed" ] || { echo "$0: $out is not written" >&2; exit 1; }
# A link, unlike mv, never takes the place of a file that has come in between. Not all file systems have links.
ln -- "$film" "$out" 2>/dev/null || { [ ! -e "$out" ] && mv -- "$film" "$out"; } || { echo "$0: $out could not be written" >&2; exit 1; }
[ -z "$damaged" ] || { echo "$0: $out is written, but ${in#file:} is damaged: pictures may be missing" >&2; exit 3; }
