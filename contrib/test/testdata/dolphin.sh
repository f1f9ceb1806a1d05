#!/bin/bash
# Opens a folder in Dolphin on the screen of DISPLAY, selects all files, and chooses from the menu of the right button. Its last entry is
# Properties, and the one before is the submenu of blorc-denoise. The keys that choose in there are the second argument. It ends when the
# files of the other arguments are there.
folder=$1 keys=$2
shift 2
dolphin --new-window "$folder" &
dolphin=$!
trap 'kill $dolphin' EXIT
window=$(xdotool search --sync --onlyvisible --class dolphin | tail -n 1)
xdotool windowfocus --sync "$window"
there() {
  for file; do [ -e "$file" ] || return 1; done
}
for attempt in 1 2 3 4; do # the folder may not have been read yet
  sleep 1
  xdotool key --delay 50 Escape ctrl+a Menu
  sleep 1
  xdotool key --delay 100 Up Up Right $keys Return
  for wait in $(seq 50); do
    sleep 0.1
    there "$@" && exit 0
  done
done
echo "the files are not there after all attempts" >&2
exit 1
