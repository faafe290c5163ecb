#include "filled_structs.h"

#include "random_structs.h"

static rondo_status traffic(rondo_communicator* world, void* out) {
  return rondo_get_traffic(world, mostly(3), out);
}

static rondo_status call_info(rondo_communicator* world, void* out) {
  return rondo_last_call(world, out);
}

static rondo_status plan(rondo_communicator* world, void* out) {
  (void)world;
  const rondo_kind kind = (rondo_kind)mostly(9);
  const uint64_t bytes = random_number() >> random_number() % 64;
  const rondo_type type = (rondo_type)mostly(10);
  const int hosts = (int)(random_number() % 4) - 1;
  const int ranks_per_host = (int)(random_number() % 4) - 1;
  return rondo_query_plan(kind, bytes, type, hosts, ranks_per_host,
                          random_number() % 4 == 0 ? some_text() : NULL, out);
}

typedef struct filled {
  rondo_status (*fill)(rondo_communicator* world, void* out);
  size_t own;
  size_t oldest; /* the smallest size that a header has had */
  int fails;     /* of other arguments that are random */
} filled;

static const filled kFilled[] = {
    {traffic, sizeof(rondo_traffic), offsetof(rondo_traffic, sent_bytes), 1},
    {call_info, sizeof(rondo_call_info), offsetof(rondo_call_info, predicted_us), 0},
    {plan, sizeof(rondo_plan), offsetof(rondo_plan, predicted_us), 1},
};

static int has_header(const filled* f, size_t size) {
  return size >= f->oldest && size <= 4096 && size % 8 == 0;
}

static void check_filled(const filled* f, const lent* out, size_t size) {
  const unsigned char* const bytes = out->bytes;
  CHECK(memcmp(bytes, &size, sizeof size) == 0 && "it stays");
  for (size_t i = f->own; i < size; ++i) CHECK(bytes[i] == 0);
  CHECK(is_untouched(out, size) && "nothing is written beyond the caller's struct");
}

void one_filling(rondo_communicator* world) {
  const filled* const f = &kFilled[random_number() % (sizeof kFilled / sizeof *kFilled)];
  const size_t size = some_size(f->own);
  lent out = lend_struct(&size, sizeof size, size);
  const rondo_status status = f->fill(world, out.bytes);
  if (went_well(status)) {
    CHECK(has_header(f, size));
    check_filled(f, &out, size);
  } else {
    CHECK(f->fails || !has_header(f, size));
    CHECK(has_header(f, size) || status == RONDO_INVALID_ARGUMENT);
    CHECK(is_untouched(&out, 0) && "what is refused is left as it was");
  }
  take_back(&out);
}
