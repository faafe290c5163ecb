#!/bin/bash
# within_processor_time.sh SECONDS CMD...: runs CMD, whose threads may take so many seconds of processor
# time together, and says how many they took. On busy cores a command lasts longer, but takes about
# the same.
set -euo pipefail
limit=$1
shift

over_limit=$((128 + 24))  # SIGXCPU
status=0
TIMEFORMAT="processor time: %U s, and %S s of the system's; allowed are $limit s"
time { (ulimit -S -c 0 -t "$limit" && exec "$@"); } || status=$?
[ "$status" != "$over_limit" ] || echo "wrong: this takes more than $limit s of processor time"
exit "$status"
