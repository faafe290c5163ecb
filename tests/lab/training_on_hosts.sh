#!/bin/bash
# training_on_hosts.sh RECOGNIZE_DIGITS RANK_PROGRAM DIGITS: the same training on one rank and on four
# lab hosts gives the same losses (fp32: 1e-5 relative), and every pair of the four ran over tcp.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
digits_program=$1
rank_program=$2
digits=$3
[ -d "$digits" ] || { echo "SKIPPED: $digits is missing (scripts/data digits fetches it)"; exit 77; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
training=(--data "$digits" --steps 60 --optimizer sgd)

"$digits_program" "${training[@]}" --loss-file "$work/one" > "$work/log" ||
  { cat "$work/log"; exit 1; }
status=0
"$here/mpirun-on-hosts" 4 "$digits_program" "${training[@]}" --loss-file "$work/four" \
  > "$work/log" 2>&1 || status=$?
if [ "$status" != 0 ]; then
  cat "$work/log"
  exit "$status"
fi

paste "$work/one" "$work/four" | awk '
  { one = $(NF / 2); four = $NF; d = (one - four) / one; if (d < 0) d = -d; if (d > worst) worst = d }
  END {
    printf "%d steps, losses differ by at most %.2g (allowed: 1e-5)\n", NR, worst
    exit !(NR == 60 && worst <= 1e-5)
  }'

# By an algorithm in which every pair speaks.
"$here/mpirun-on-hosts" 4 -- env RONDO_ALGO=direct "$rank_program" traffic > "$work/traffic" 2>&1
pairs=$(grep -cE '^pair [0-3]-[0-3]: tcp sent [1-9][0-9]* received [1-9][0-9]*$' "$work/traffic" || true)
echo "$pairs of 12 directed pairs moved bytes over tcp"
[ "$pairs" = 12 ] || { cat "$work/traffic"; exit 1; }
