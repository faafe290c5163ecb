#!/bin/bash
# Builds a lab, has two hosts join a world (JOIN_WORLD is rondo_join_world) and checks that the lab
# leaves nothing behind, also when its command fails.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
left_behind() { ip netns list | awk '{print $1}' | grep "^rondo-lab-$1-" || ls -d /etc/netns/*"$1"* 2> /dev/null; }

names=$(mktemp)
trap 'rm -f "$names"' EXIT
code=0
"$here/hosts" with 2 200mbit -- /bin/bash -c \
  'echo "$RONDO_LAB" > "$0"; "$1" run 1 sleep 1000 & exec "$2" "$3"' \
  "$names" "$here/hosts" "$here/join_on_hosts.sh" "$1" || code=$?
[ "$code" = 0 ] || exit "$code"
! left_behind "$(cat "$names")" || { echo "wrong: the lab has left this behind"; exit 1; }

"$here/hosts" with 1 -- /bin/bash -c 'echo "$RONDO_LAB" > "$0"; exit 5' "$names" || code=$?
[ "$code" = 5 ] || { echo "wrong: the command's exit code 5 became $code"; exit 1; }
! left_behind "$(cat "$names")" || { echo "wrong: a failed lab has left this behind"; exit 1; }
