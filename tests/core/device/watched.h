#pragma once

// What tests ask of devices that fail on purpose and count what they have given. Libraries that act
// such devices (tests/fake_cuda, tests/collectives/communicator/watched_plugin.cc) export a
// function `watched_device` that returns one of these.

namespace rondo::testing {

struct WatchedDevice {
  /// "allocate:3": from now on the third allocation fails, as RONDO_EMULATED_FAULTS has it.
  void (*plan_faults)(const char* faults);
  /// How many have failed since.
  int (*failed)();
  /// What was made and not yet given back: memory, imports, streams, events.
  int (*open)();
  /// Threads of streams that Rondo keeps as long as the process, and `open` leaves out.
  int (*kept_threads)();
};

}  // namespace rondo::testing
