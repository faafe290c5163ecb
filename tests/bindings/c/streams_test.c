/* Calls in a stream of an emulated device, by the ranks of a launcher: copies before and after them
 * need no waiting for. */
#include "check.h"

enum { kElements = 5000 };

/* A rank's numbers, on their way to the device by a stream. */
typedef struct {
  rondo_stream* stream;
  rondo_device_memory* memory;
  void* data;
  float host[kElements];
} staged;

static void stage(staged* own, rondo_communicator* c, rondo_device device) {
  OK(rondo_stream_create(device, NULL, &own->stream));
  OK(rondo_device_allocate(device, sizeof own->host, &own->memory, &own->data));
  for (size_t i = 0; i < kElements; ++i) own->host[i] = given(rondo_rank(c), i);
  OK(rondo_stream_copy(own->stream, own->data, own->host, sizeof own->host));
}

/* The call on them in their stream, and the way back behind it. */
static rondo_work* start_between_copies(staged* own, rondo_communicator* c, rondo_kind kind) {
  rondo_work* work = NULL;
  rondo_call call = RONDO_CALL_INIT;
  call.kind = kind;
  call.input = call.output = own->data;
  call.input_count = call.output_count = kElements;
  call.stream = own->stream;
  OK(rondo_start(c, &call, &work));
  OK(rondo_stream_copy(own->stream, own->host, own->data, sizeof own->host));
  return work;
}

static void in_order(rondo_communicator* c, rondo_device device) {
  static staged own;
  stage(&own, c, device);
  rondo_work* const work = start_between_copies(&own, c, RONDO_ALL_REDUCE);
  OK(rondo_stream_synchronize(own.stream));
  for (size_t i = 0; i < kElements; ++i) {
    double expected = 0;
    for (int r = 0; r < rondo_size(c); ++r) expected += given(r, i);
    CHECK(near(own.host[i], expected));
  }
  OK(rondo_work_wait(work));
  OK(rondo_work_release(work));
  OK(rondo_device_free(own.memory));
  OK(rondo_stream_release(own.stream));
}

/* The stream is the program's alone: it ends, with all that it was given, where it is given back,
 * though the call's work is not. */
static void given_back_first(rondo_communicator* c, rondo_device device) {
  static staged own;
  stage(&own, c, device);
  rondo_work* const work = start_between_copies(&own, c, RONDO_BROADCAST);
  OK(rondo_stream_release(own.stream));
  for (size_t i = 0; i < kElements; ++i) CHECK(near(own.host[i], given(0, i)));
  OK(rondo_work_wait(work));
  OK(rondo_work_release(work));
  OK(rondo_device_free(own.memory));
}

static void refusals(rondo_communicator* c, rondo_device device) {
  const rondo_status bad = RONDO_INVALID_ARGUMENT;
  const rondo_device none = {300, 0};
  rondo_stream* stream = NULL;
  rondo_device_memory* memory = NULL;
  rondo_work* work = NULL;
  void* data = NULL;
  REFUSED(rondo_stream_create(none, NULL, &stream), bad, "device.kind 300");
  REFUSED(rondo_device_allocate(none, 8, &memory, &data), bad, "device.kind 300");
  REFUSED(rondo_stream_create(device, NULL, NULL), bad, "out is null");
  REFUSED(rondo_stream_create(device, &data, &stream), RONDO_UNSUPPORTED, "");
  REFUSED(rondo_stream_borrow(none, NULL, &stream), bad, "device.kind 300");
  REFUSED(rondo_stream_borrow(device, NULL, NULL), bad, "out is null");
  REFUSED(rondo_stream_borrow(device, NULL, &stream), RONDO_UNSUPPORTED, "CUDA devices alone");
  REFUSED(rondo_stream_synchronize(NULL), bad, "stream is null");
  OK(rondo_stream_release(NULL));
  OK(rondo_device_free(NULL));
  OK(rondo_stream_create(device, NULL, &stream));
  REFUSED(rondo_stream_copy(stream, NULL, &data, 8), bad, "target is null");
  OK(rondo_stream_copy(stream, NULL, NULL, 0));
  rondo_call call = RONDO_CALL_INIT;
  call.kind = RONDO_SEND;
  call.stream = stream;
  REFUSED(rondo_start(c, &call, &work), bad, "rondo_call.stream");
  OK(rondo_stream_release(stream));
}

int main(void) {
  const rondo_device device = {RONDO_DEVICE_EMULATED, 0};
  rondo_config config = RONDO_CONFIG_INIT;
  rondo_communicator* c = NULL;
  config.device = device;
  OK(rondo_create(&config, &c));
  CHECK(rondo_size(c) == 3);
  refusals(c, device);
  in_order(c, device);
  for (int i = 0; i < 10; ++i) given_back_first(c, device);
  OK(rondo_destroy(c));
  return 0;
}
