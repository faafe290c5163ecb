/* MPI_Allreduce by Rondo, for MPI programs as they are: link this library before MPI's, or name it
 * in LD_PRELOAD.
 *
 *   LD_PRELOAD=./libmpi_all_reduce.so mpirun -n 4 ./program
 *
 * Everything else stays with MPI, and so do all-reduces that Rondo doesn't know: types and ops that
 * a program has defined, pairs (MPI_MAXLOC), logical ops, communicators between two groups. What
 * decides is alike on all ranks, since MPI wants types and ops to be. A communicator's first
 * all-reduce makes Rondo's beside it, by one MPI_Allgather; it goes with MPI's.
 *
 * RONDO_MPI_REPORT=1: rank 0 says at the end how many calls went which way. */
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "rondo/rondo.h"

static int keyval = MPI_KEYVAL_INVALID;
static unsigned long by_rondo = 0;
static unsigned long by_mpi = 0;

/* 0 where Rondo has no such type. */
static int type_of(MPI_Datatype type, rondo_type* out) {
  const struct {
    MPI_Datatype theirs;
    rondo_type ours;
  } types[] = {{MPI_FLOAT, RONDO_F32},
               {MPI_DOUBLE, RONDO_F64},
               {MPI_INT, RONDO_I32},
               {MPI_UNSIGNED, RONDO_U32},
               {MPI_LONG, sizeof(long) == 8 ? RONDO_I64 : RONDO_I32},
               {MPI_UNSIGNED_LONG, sizeof(long) == 8 ? RONDO_U64 : RONDO_U32},
               {MPI_LONG_LONG, RONDO_I64},
               {MPI_UNSIGNED_LONG_LONG, RONDO_U64},
               {MPI_INT8_T, RONDO_I8},
               {MPI_UINT8_T, RONDO_U8},
               {MPI_INT32_T, RONDO_I32},
               {MPI_UINT32_T, RONDO_U32},
               {MPI_INT64_T, RONDO_I64},
               {MPI_UINT64_T, RONDO_U64}};
  for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i) {
    if (types[i].theirs != type) continue;
    *out = types[i].ours;
    return 1;
  }
  return 0;
}

static int op_of(MPI_Op op, rondo_op* out) {
  const struct {
    MPI_Op theirs;
    rondo_op ours;
  } ops[] = {{MPI_SUM, RONDO_SUM},  {MPI_PROD, RONDO_PROD}, {MPI_MIN, RONDO_MIN},
             {MPI_MAX, RONDO_MAX},  {MPI_BAND, RONDO_BAND}, {MPI_BOR, RONDO_BOR},
             {MPI_BXOR, RONDO_BXOR}};
  for (size_t i = 0; i < sizeof ops / sizeof ops[0]; ++i) {
    if (ops[i].theirs != op) continue;
    *out = ops[i].ours;
    return 1;
  }
  return 0;
}

static int all_gather(void* context, const void* mine, void* all, size_t bytes) {
  return PMPI_Allgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE,
                        *(MPI_Comm*)context) != MPI_SUCCESS;
}

/* MPI calls it when it frees the communicator. */
static int leave(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm;
  (void)key;
  (void)extra;
  return rondo_destroy(value) == RONDO_OK ? MPI_SUCCESS : MPI_ERR_OTHER;
}

/* Null: this communicator's calls are MPI's. The same on all its ranks. */
static rondo_communicator* join(MPI_Comm comm) {
  int rank = 0;
  int size = 0;
  int joined = 0;
  rondo_communicator* world = NULL;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &size);
  joined = rondo_create_by_all_gather(all_gather, &comm, rank, size, NULL, &world) == RONDO_OK;
  if (!joined) fprintf(stderr, "rank %d: without Rondo: %s\n", rank, rondo_last_error()->message);
  PMPI_Allreduce(MPI_IN_PLACE, &joined, 1, MPI_INT, MPI_MIN, comm);
  if (joined) return world;
  rondo_destroy(world);
  return NULL;
}

static rondo_communicator* rondo_of(MPI_Comm comm) {
  rondo_communicator* world = NULL;
  int found = 0;
  int between_groups = 0;
  PMPI_Comm_test_inter(comm, &between_groups);
  if (between_groups) return NULL;
  if (keyval == MPI_KEYVAL_INVALID)
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, leave, &keyval, NULL);
  PMPI_Comm_get_attr(comm, keyval, &world, &found);
  if (found) return world;
  world = join(comm);
  PMPI_Comm_set_attr(comm, keyval, world);
  return world;
}

int MPI_Allreduce(const void* input, void* output, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  rondo_type of_elements = RONDO_U8;
  rondo_op ours = RONDO_SUM;
  rondo_communicator* world = NULL;
  if (count >= 0 && type_of(type, &of_elements) && op_of(op, &ours)) world = rondo_of(comm);
  if (world == NULL) {
    ++by_mpi;
    return PMPI_Allreduce(input, output, count, type, op, comm);
  }
  ++by_rondo;
  if (rondo_all_reduce(world, input == MPI_IN_PLACE ? output : input, output, (size_t)count,
                       of_elements, ours) == RONDO_OK)
    return MPI_SUCCESS;
  fprintf(stderr, "MPI_Allreduce by Rondo: %s\n", rondo_last_error()->message);
  PMPI_Comm_call_errhandler(comm, MPI_ERR_OTHER);
  return MPI_ERR_OTHER;
}

int MPI_Finalize(void) {
  const char* report = getenv("RONDO_MPI_REPORT");
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (report != NULL && rank == 0)
    fprintf(stderr, "all-reduces: %lu by Rondo, %lu by MPI\n", by_rondo, by_mpi);
  /* Its ranks leave together, while all are still there. */
  if (keyval != MPI_KEYVAL_INVALID) {
    rondo_communicator* world = NULL;
    int found = 0;
    PMPI_Comm_get_attr(MPI_COMM_WORLD, keyval, &world, &found);
    if (found) PMPI_Comm_delete_attr(MPI_COMM_WORLD, keyval);
  }
  return PMPI_Finalize();
}
