#!/bin/bash
# traffic_by_mpich.sh RANK_PROGRAM: MPICH's mpirun starts six ranks on three lab hosts. The ranks of a
# host are joined by shm, all others by tcp. By an algorithm in which every pair speaks.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")

work=$(mktemp)
trap 'rm -f "$work"' EXIT
status=0
"$here/mpirun-on-hosts" 3 --ranks 2 --mpich -- env RONDO_ALGO=direct "$1" traffic > "$work" 2>&1 || status=$?
[ "$status" = 0 ] || { cat "$work"; exit "$status"; }

count() { grep -cE "^pair [0-5]-[0-5]: $1 sent [1-9][0-9]* received [1-9][0-9]*$" "$work" || true; }
echo "$(count shm) of 6 directed pairs moved bytes over shm, $(count tcp) of 24 over tcp"
[ "$(count shm) $(count tcp)" = "6 24" ] || { cat "$work"; exit 1; }
