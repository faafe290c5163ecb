#pragma once

// What stands behind C's handles. Each begins with a word that says what it is and is overwritten
// when it is given back, so that most mistakes are told instead of followed.

#include <cstdint>
#include <optional>
#include <vector>

#include "bindings/c/guard.h"
#include "bindings/c/read_call.h"
#include "rondo/communicator.h"
#include "rondo/plan.h"
#include "rondo/rondo.h"
#include "rondo/schedule_builder.h"
#include "rondo/work.h"

struct rondo_communicator {
  static constexpr std::uint64_t kWord = 0x726f6e646f636f6d;  // "rondocom"
  std::uint64_t word = kWord;
  rondo::Communicator communicator;
  rondo::Device device;
};

struct rondo_work {
  static constexpr std::uint64_t kWord = 0x726f6e646f776f72;  // "rondowor"
  std::uint64_t word = kWord;
  std::optional<rondo::Work> work{};  ///< none: it was given back
  rondo::c::ReadCall call{};          ///< that it was started with
};

struct rondo_schedule {
  static constexpr std::uint64_t kWord = 0x726f6e646f736368;  // "rondosch"
  std::uint64_t word = kWord;
  rondo::ScheduleBuilder builder;
};

struct rondo_plan_report {
  static constexpr std::uint64_t kWord = 0x726f6e646f706c61;  // "rondopla"
  std::uint64_t word = kWord;
  rondo::PlanReport report;  ///< has the texts that the others point to
  rondo_plan_choice choice{};
  std::vector<rondo_plan_candidate> candidates{};
  std::vector<rondo_plan_link> links{};
  std::vector<rondo_plan_uplink> uplinks{};
};

struct rondo_stream {
  static constexpr std::uint64_t kWord = 0x726f6e646f737472;  // "rondostr"
  std::uint64_t word = kWord;
  rondo::Stream stream;
};

struct rondo_device_memory {
  static constexpr std::uint64_t kWord = 0x726f6e646f646576;  // "rondodev"
  std::uint64_t word = kWord;
  rondo::DeviceMemory memory;
};

struct rondo_memory {
  static constexpr std::uint64_t kWord = 0x726f6e646f6d656d;  // "rondomem"
  std::uint64_t word = kWord;
  rondo::RegisteredMemory memory;
};

namespace rondo::c {

/// Throws InvalidArgument where it is null, or no such handle.
template <typename Handle>
Handle& checked(Handle* handle, const char* what) {
  if (handle == nullptr || handle->word != Handle::kWord) refuse_handle(handle, what);
  return *handle;
}

/// Null is nothing to give back.
template <typename Handle>
void give_back(Handle* handle, const char* what) {
  if (handle == nullptr) return;
  checked(handle, what).word = 0;
  delete handle;
}

}  // namespace rondo::c
