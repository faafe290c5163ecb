/* A call in the default stream of a CUDA device, which other libraries name by null. The driver is
 * acted (RONDO_CUDA_DRIVER), and tells whether its default stream was given anything. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { kElements = 500 };

static int pieces_in_default_stream(void) {
  int (*pieces)(void) = NULL;
  void* const driver = dlopen(getenv("RONDO_CUDA_DRIVER"), RTLD_NOW);
  CHECK(driver != NULL);
  void* const found = dlsym(driver, "fake_cuda_default_work");
  CHECK(found != NULL);
  memcpy(&pieces, &found, sizeof pieces);
  return pieces();
}

static void call_in(rondo_stream* stream, rondo_communicator* c, rondo_device device) {
  static float host[kElements];
  rondo_device_memory* memory = NULL;
  void* data = NULL;
  rondo_work* work = NULL;
  rondo_call call = RONDO_CALL_INIT;
  OK(rondo_device_allocate(device, sizeof host, &memory, &data));
  for (size_t i = 0; i < kElements; ++i) host[i] = given(0, i);
  OK(rondo_stream_copy(stream, data, host, sizeof host));
  call.kind = RONDO_ALL_REDUCE;
  call.input = call.output = data;
  call.input_count = call.output_count = kElements;
  call.stream = stream;
  OK(rondo_start(c, &call, &work));
  memset(host, 0, sizeof host);
  OK(rondo_stream_copy(stream, host, data, sizeof host));
  OK(rondo_stream_synchronize(stream));
  for (size_t i = 0; i < kElements; ++i) CHECK(near(host[i], given(0, i)));
  OK(rondo_work_wait(work));
  OK(rondo_work_release(work));
  OK(rondo_device_free(memory));
}

int main(void) {
  const rondo_device device = {RONDO_DEVICE_CUDA, 0};
  rondo_config config = RONDO_CONFIG_INIT;
  rondo_communicator* c = NULL;
  rondo_stream* stream = NULL;
  config.device = device;
  OK(rondo_create(&config, &c));
  OK(rondo_stream_create(device, NULL, &stream));
  call_in(stream, c, device);
  OK(rondo_stream_release(stream));
  CHECK(pieces_in_default_stream() == 0);
  OK(rondo_stream_borrow(device, NULL, &stream));
  call_in(stream, c, device);
  CHECK(pieces_in_default_stream() > 0);
  OK(rondo_stream_release(stream));
  OK(rondo_destroy(c));
  return 0;
}
