#!/bin/bash
# slow_host.sh RANK_PROGRAM: four lab hosts measure their links when they join. Where one has a fifth of
# the others' rate, the all-reduce is the one in which a slow rank owns less; where all are equal, the
# one that is chosen without measuring. All hosts share this machine's cores: what else runs here can
# make one of them look slow, but not three times.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")

work=$(mktemp)
trap 'rm -f "$work"' EXIT
algorithm_at() {  # rates, links
  local status=0
  "$here/mpirun-on-hosts" 4 --rate "$1" -- env RONDO_LINKS="$2" RONDO_LOG=info "$program" algorithm \
    > "$work" 2>&1 || status=$?
  [ "$status" = 0 ] && [ "$(grep -c '^rank [0-3]: right by ' "$work")" = 4 ] || {
    cat "$work" >&2
    exit "$((status > 0 ? status : 1))"
  }
  sed -n 's/^rank 0: right by //p' "$work"
}

program=$1
for _ in 1 2 3; do
  slow=$(algorithm_at 1gbit,200mbit,1gbit measure)
  [ "$slow" != weighted_direct ] || break
done
told_nothing=$(algorithm_at 200mbit equal)
for _ in 1 2 3; do
  equal=$(algorithm_at 200mbit measure)
  [ "$equal" != "$told_nothing" ] || break
done
echo "one slow host: $slow; equal hosts: $equal; not measured: $told_nothing"
[ "$slow" = weighted_direct ] && [ "$equal" = "$told_nothing" ] && [ "$equal" != weighted_direct ]
