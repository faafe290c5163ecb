#!/bin/bash
# two_racks.sh RANK_PROGRAM: four lab hosts, dealt out in turn to two racks that a link of a fifth of
# their rate joins, make all-reduces by the neighbour ring. While links are taken to be equal it goes
# by the ranks' numbers: from rack to rack at every step. In the order of measured links it goes over
# once and comes back once, and so half the bytes pass that link, in half the time.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
program=$1
mebibytes=4

work=$(mktemp)
trap 'rm -f "$work"' EXIT
# Prints how many steps the ring has, how many of these lead to the other rack, the MB that a call
# brings there or back, and a call's milliseconds. A step of the ring carries 3/2 of the data.
ring_by() {  # links
  local status=0
  "$here/mpirun-on-hosts" 4 --rate 400mbit/80mbit -- \
    env RONDO_LINKS="$1" RONDO_ALGO=neighbour_ring "$program" traffic "$mebibytes" \
    > "$work" 2>&1 || status=$?
  [ "$status" = 0 ] && [ "$(grep -c '^pair [0-3]-[0-3]: tcp sent ' "$work")" = 12 ] &&
    [ "$(grep -c '^rank [0-3]: .* ms a call$' "$work")" = 4 ] || {
    cat "$work" >&2
    exit "$((status > 0 ? status : 1))"
  }
  awk -v data=$((mebibytes * 1048576)) '
    /^pair / {
      leads_over = (substr($2, 1, 1) + substr($2, 3, 1)) % 2
      a_call = $5 / 3
      if (leads_over) over += a_call
      if (a_call > data) { ++steps; crossings += leads_over }
    }
    /^rank / { if ($3 > slowest) slowest = $3 }
    END { printf "%d %d %.1f %.1f\n", steps, crossings, over / 1e6, slowest }' "$work"
}

# What else runs on this machine can make a link look slow, but not three times.
is_as_told() {
  local equal measured
  equal=$(ring_by equal) || exit 1
  measured=$(ring_by measure) || exit 1
  read -r equal_steps equal_crossings equal_mb equal_ms <<< "$equal"
  read -r steps crossings mb ms <<< "$measured"
  echo "by number: $equal_crossings of $equal_steps steps between the racks, $equal_mb MB, $equal_ms ms;" \
    "by measured links: $crossings of $steps, $mb MB, $ms ms"
  [ "$equal_crossings of $equal_steps, $crossings of $steps" = "4 of 4, 2 of 4" ] || return 1
  # Twice as long; the bounds are those of a machine with other things to do.
  awk -v time="$equal_ms/$ms" -v bytes="$equal_mb/$mb" '
    function ratio(text, of) { split(text, of, "/"); return of[1] / of[2] }
    BEGIN { exit !(ratio(time) > 1.5 && ratio(time) < 2.7 && ratio(bytes) > 1.9 && ratio(bytes) < 2.1) }'
}
is_as_told || is_as_told || is_as_told
