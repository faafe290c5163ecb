#!/bin/bash
# slow_link_trace.sh RONDO: four lab hosts, of which one has a fifth of the others' rate: `rondo trace`
# says that it is that rank's link.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$here/mpirun-on-hosts" 4 --rate 1gbit,1gbit,200mbit,1gbit -- env RONDO_TRACE="$work" RONDO_ALGO=ring \
  "$1" bench all_reduce -b 4M -e 4M -n 10 -w 2 > "$work/log" 2>&1 || {
  status=$?
  cat "$work/log" >&2
  exit "$status"
}
"$1" trace "$work" -o "$work/merged" | tee "$work/said"
[ "$(wc -c < "$work/merged")" -gt 10000 ]
grep -q "^slow: rank 2's link is slow: \|^slow: the link from rank 2 to rank 3 is slow: \|^slow: the link from rank 1 to rank 2 is slow: " "$work/said"
