#!/bin/bash
# Two ranks on devices as in two containers of a pod: one network, and each the first process of a
# PID namespace of its own. own_pid_namespaces.sh RONDO
set -euo pipefail
contained=(unshare --pid --fork --kill-child --mount-proc)
"${contained[@]}" true 2> /dev/null || { echo "skipped: only root makes PID namespaces"; exit 77; }
exec "$1" run -n 2 -- "${contained[@]}" \
  "$1" bench all_reduce --device emulated -b 1K -e 1M -f 32 -n 2 -w 1
