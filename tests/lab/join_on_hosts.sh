#!/bin/bash
# Two processes on two lab hosts find each other at a store that listens on the first one's address:
# join_on_hosts.sh JOIN_WORLD, within `hosts with 2`. What crossed the wire is counted.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
program=$1

received_on_h1() { "$here/hosts" run 1 cat /sys/class/net/e0/statistics/rx_bytes; }
join() {  # rank
  RONDO_RANK=$1 RONDO_WORLD=2 RONDO_JOB=1ab RONDO_STORE="$("$here/hosts" address 0):29500" \
    "$here/hosts" run "$1" "$program" --rounds 3
}

before=$(received_on_h1)
join 1 &
second=$!
join 0
wait "$second"
crossed=$(($(received_on_h1) - before))
# Process 1 brings a blob of 5,000 bytes and gets process 0's and its own, three times.
[ "$crossed" -gt 15000 ] || { echo "wrong: only $crossed bytes crossed the wire"; exit 1; }
[ "$("$here/hosts" run 1 hostname)" = h1 ] || { echo "wrong: a host doesn't know its name"; exit 1; }
echo "joined over $crossed bytes"
