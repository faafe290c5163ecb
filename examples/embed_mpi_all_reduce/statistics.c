/* An MPI program that knows nothing of Rondo: mean, extremes and a histogram of numbers that its
 * ranks hold, by all-reduces of several types, on the world and on halves of it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kNumbers = 4001, kBins = 8 };

/* Sums of sixteenths are exact, in any order. */
static double number(int rank, int i) { return (double)((i * 37 + rank * 101) % 1000) / 16 - 20; }

static void keep_larger_square(void* in, void* inout, int* count, MPI_Datatype* type) {
  const double* a = in;
  double* b = inout;
  (void)type;
  for (int i = 0; i < *count; ++i) {
    if (a[i] * a[i] > b[i] * b[i]) b[i] = a[i];
  }
}

static void describe(MPI_Comm comm, const char* name, int world_rank) {
  double sum = 0;
  double least = 1e9;
  double most = -1e9;
  long bins[kBins] = {0};
  int rank = 0;
  long count = kNumbers;
  MPI_Comm_rank(comm, &rank);
  for (int i = 0; i < kNumbers; ++i) {
    const double value = number(world_rank, i);
    sum += value;
    if (value < least) least = value;
    if (value > most) most = value;
    ++bins[(int)((value + 20) / 63 * kBins)];
  }
  double total = 0;
  MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, comm);
  MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_DOUBLE, MPI_MIN, comm);
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, comm);
  MPI_Allreduce(MPI_IN_PLACE, bins, kBins, MPI_LONG, MPI_SUM, comm);
  MPI_Allreduce(MPI_IN_PLACE, &count, 1, MPI_LONG, MPI_SUM, comm);
  if (rank != 0) return;
  /* One write: ranks' lines come through their launcher whole. */
  printf("%s: mean %.10f of %ld, %.4f to %.4f, histogram %ld %ld %ld %ld %ld %ld %ld %ld\n", name,
         total / (double)count, count, least, most, bins[0], bins[1], bins[2], bins[3], bins[4],
         bins[5], bins[6], bins[7]);
}

/* All elements of a long vector, and an op that the program has defined. */
static void sum_vectors(int rank, int size) {
  float* values = malloc(sizeof(float) * 100000);
  double wrong = 0;
  for (int i = 0; i < 100000; ++i) values[i] = (float)(i % 64) / 4 + (float)rank;
  MPI_Allreduce(MPI_IN_PLACE, values, 100000, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < 100000; ++i) {
    const float right = (float)size * ((float)(i % 64) / 4) + (float)(size * (size - 1)) / 2;
    if (values[i] != right) wrong += 1;
  }
  free(values);
  double widest = rank % 2 == 0 ? rank + 0.5 : -rank - 0.25;
  MPI_Op op;
  MPI_Op_create(keep_larger_square, 1, &op);
  MPI_Allreduce(MPI_IN_PLACE, &widest, 1, MPI_DOUBLE, op, MPI_COMM_WORLD);
  MPI_Op_free(&op);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("vectors: %.0f wrong; farthest from 0: %.2f\n", wrong, widest);
}

int main(int argc, char** argv) {
  int rank = 0;
  int size = 0;
  MPI_Comm half;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  describe(MPI_COMM_WORLD, "world", rank);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  if (rank % 2 == 0) describe(half, "even ranks", rank);
  if (rank % 2 == 1) describe(half, "odd ranks", rank);
  MPI_Comm_free(&half);
  sum_vectors(rank, size);
  MPI_Finalize();
  return 0;
}
