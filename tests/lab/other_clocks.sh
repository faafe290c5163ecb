#!/bin/bash
# other_clocks.sh RONDO: three lab hosts, each with a clock (CLOCK_MONOTONIC) of its own, 5,000 s from
# the one before, and a boot id of its own: `rondo trace` finds the distances, and puts all ranks'
# calls on one clock.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")

# other_clocks.sh --as-rank FOLDER CMD...: runs CMD as this rank of mpirun's, under such a clock.
if [ "$1" = --as-rank ]; then
  boot=$2/boot.$OMPI_COMM_WORLD_RANK
  shift 2
  printf '%08d-0000-4000-8000-000000000000\n' "$OMPI_COMM_WORLD_RANK" > "$boot"
  export BOOT=$boot
  # shellcheck disable=SC2016 # what the inner shell expands
  exec unshare --mount --time --monotonic $((5000 * OMPI_COMM_WORLD_RANK)) -- \
    /bin/sh -c 'mount --bind "$BOOT" /proc/sys/kernel/random/boot_id && exec "$@"' sh "$@"
fi

unshare --mount --time --monotonic 1 -- \
  mount --bind /proc/self/comm /proc/sys/kernel/random/boot_id 2> /dev/null || {
  echo "SKIPPED: no clock and boot id of a process's own can be had here (root, Linux 5.6)"
  exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$here/mpirun-on-hosts" 3 -- env RONDO_TRACE="$work" "$0" --as-rank "$work" \
  "$1" bench all_reduce -b 1K -e 1M -f 32 -n 20 > "$work/log" 2>&1 || {
  status=$?
  cat "$work/log" >&2
  exit "$status"
}
rm "$work"/boot.*
"$1" trace "$work" -o "$work/merged" | tee "$work/said"
python3 "$here/other_clocks.py" "$work/said" "$work/merged" 5000
