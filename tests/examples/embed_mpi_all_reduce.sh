#!/usr/bin/env bash
# embed_mpi_all_reduce.sh MPI LIBRARY PROGRAM: the program prints the same with the library
# preloaded as without, and all its all-reduces but the one with an op of its own are Rondo's.
set -euo pipefail
mpi=$1 library=$2 program=$3
if ! command -v "mpirun.$mpi" >/dev/null; then
  echo "skipped: there is no mpirun.$mpi"
  exit 77
fi
run() {
  case $mpi in
    openmpi)
      OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun.openmpi --oversubscribe -n 4 "$@"
      ;;
    mpich) mpirun.mpich -n 4 "$@" ;;
  esac
}
sorted() { sort "$1"; }
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
run "$program" >"$folder/mpi"
run env LD_PRELOAD="$library" RONDO_MPI_REPORT=1 "$program" >"$folder/rondo" 2>"$folder/report"
cat "$folder/rondo" "$folder/report"
if ! diff <(sorted "$folder/mpi") <(sorted "$folder/rondo"); then
  echo "other results with Rondo (>) than without (<)"
  exit 1
fi
grep -q '^vectors: 0 wrong' "$folder/rondo"
# Rank 0: five calls on the world, five on its half, two on vectors; one with an op of the program's.
grep -q '^all-reduces: 12 by Rondo, 1 by MPI$' "$folder/report"
