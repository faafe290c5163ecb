/* Every collective from C, against sums in double precision. */
#include "collectives.h"

#include "check.h"

enum { kCount = 1009, kMostRanks = 8 };

static double sum_of(int size, size_t i) {
  double sum = 0;
  for (int rank = 0; rank < size; ++rank) sum += given(rank, i);
  return sum;
}

static void fill(float* data, size_t count, int rank) {
  for (size_t i = 0; i < count; ++i) data[i] = given(rank, i);
}

static void reductions(rondo_communicator* c, int rank, int size) {
  static float in[kCount * kMostRanks], out[kCount * kMostRanks];
  fill(in, kCount, rank);
  OK(rondo_all_reduce(c, in, out, kCount, RONDO_F32, RONDO_SUM));
  for (size_t i = 0; i < kCount; ++i) CHECK(near(out[i], sum_of(size, i)));
  OK(rondo_all_reduce(c, in, in, kCount, RONDO_F32, RONDO_AVG));
  for (size_t i = 0; i < kCount; ++i) CHECK(near(in[i], sum_of(size, i) / size));

  const size_t all = (size_t)size * kCount;
  fill(in, all, rank);
  OK(rondo_reduce_scatter(c, in, out, kCount, RONDO_F32, RONDO_SUM));
  for (size_t i = 0; i < kCount; ++i) CHECK(near(out[i], sum_of(size, (size_t)rank * kCount + i)));

  out[0] = -1;
  OK(rondo_reduce(c, in, out, kCount, RONDO_F32, RONDO_MAX, size - 1));
  if (rank == size - 1) {
    for (size_t i = 0; i < kCount; ++i) CHECK(near(out[i], given(size - 1, i)));
  } else {
    CHECK(out[0] == -1);
  }
}

static void movements(rondo_communicator* c, int rank, int size) {
  static float in[kCount * kMostRanks], out[kCount * kMostRanks];
  fill(in, kCount, rank);
  OK(rondo_all_gather(c, in, out, kCount, RONDO_F32));
  for (int r = 0; r < size; ++r)
    for (size_t i = 0; i < kCount; ++i) CHECK(out[(size_t)r * kCount + i] == given(r, i));

  memset(out, 0, sizeof out);
  OK(rondo_gather(c, in, out, kCount, RONDO_F32, 0));
  if (rank == 0)
    for (int r = 0; r < size; ++r)
      for (size_t i = 0; i < kCount; ++i) CHECK(out[(size_t)r * kCount + i] == given(r, i));

  OK(rondo_broadcast(c, in, kCount, RONDO_F32, size - 1));
  for (size_t i = 0; i < kCount; ++i) CHECK(in[i] == given(size - 1, i));

  fill(in, (size_t)size * kCount, rank);
  OK(rondo_scatter(c, in, out, kCount, RONDO_F32, 0));
  for (size_t i = 0; i < kCount; ++i) CHECK(out[i] == given(0, (size_t)rank * kCount + i));

  OK(rondo_all_to_all(c, in, out, (size_t)size * kCount, RONDO_F32));
  for (int r = 0; r < size; ++r)
    for (size_t i = 0; i < kCount; ++i)
      CHECK(out[(size_t)r * kCount + i] == given(r, (size_t)rank * kCount + i));

  OK(rondo_barrier(c));
  if (size > 1 && rank == 0) OK(rondo_send(c, in, kCount, RONDO_F32, 1, 7));
  if (rank == 1) {
    OK(rondo_receive(c, out, kCount, RONDO_F32, 0, 7));
    for (size_t i = 0; i < kCount; ++i) CHECK(out[i] == given(0, i));
  }
}

/* left * w + right: neither commutes nor is a sum. */
static void weighted(void* left, const void* right, size_t count, uint8_t type, void* context) {
  float* l = left;
  const float* r = right;
  CHECK(type == RONDO_F32);
  for (size_t i = 0; i < count; ++i) l[i] = l[i] * *(const float*)context + r[i];
}

static void values(rondo_communicator* c, int rank, int size) {
  static float in[kCount * kMostRanks], out[kCount * kMostRanks];
  float half = 0.5F;
  fill(in, kCount, rank);
  rondo_call call = RONDO_CALL_INIT;
  call.kind = RONDO_ALL_REDUCE;
  call.input = in;
  call.output = out;
  call.input_count = call.output_count = kCount;
  call.op = RONDO_CUSTOM;
  call.function = weighted;
  call.context = &half;
  OK(rondo_run(c, &call));
  for (size_t i = 0; i < kCount; ++i) {
    double expected = given(0, i);
    for (int r = 1; r < size; ++r) expected = expected * half + given(r, i);
    CHECK(near(out[i], expected));
  }
  call.op = RONDO_PREMULTIPLIED_SUM;
  call.factor = 1.0 / (rank + 2);
  OK(rondo_run(c, &call));
  for (size_t i = 0; i < kCount; ++i) {
    double expected = 0;
    for (int r = 0; r < size; ++r) expected += (double)given(r, i) / (r + 2);
    CHECK(near(out[i], expected));
  }
}

/* Rank r's part has r + 3 elements. */
static void uneven(rondo_communicator* c, int rank, int size) {
  static float in[kCount], out[kCount];
  size_t counts[kMostRanks];
  size_t all = 0, before = 0;
  for (int r = 0; r < size; ++r) {
    counts[r] = (size_t)r + 3;
    if (r < rank) before += counts[r];
    all += counts[r];
  }
  fill(in, counts[rank], rank);
  rondo_call call = RONDO_CALL_INIT;
  call.kind = RONDO_ALL_GATHER;
  call.input = in;
  call.output = out;
  call.input_count = counts[rank];
  call.output_count = all;
  call.output_counts = counts;
  OK(rondo_run(c, &call));
  size_t at = 0;
  for (int r = 0; r < size; ++r)
    for (size_t i = 0; i < counts[r]; ++i) CHECK(out[at++] == given(r, i));

  fill(in, all, rank);
  call.kind = RONDO_REDUCE_SCATTER;
  call.input_count = all;
  call.output_count = counts[rank];
  call.input_counts = counts;
  call.output_counts = NULL;
  OK(rondo_run(c, &call));
  for (size_t i = 0; i < counts[rank]; ++i) CHECK(near(out[i], sum_of(size, before + i)));
}

void all_collectives(rondo_communicator* c) {
  const int rank = rondo_rank(c), size = rondo_size(c);
  CHECK(size <= kMostRanks);
  reductions(c, rank, size);
  movements(c, rank, size);
  values(c, rank, size);
  uneven(c, rank, size);
}
