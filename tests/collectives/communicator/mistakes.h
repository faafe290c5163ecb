#pragma once

// What can be wrong with the arguments of a call, for every form of it that has the argument, and
// what is said of it. In a world of kRanks, on a rank that is the root where there is one: both
// buffers are looked at there.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "rondo/communicator.h"
#include "tests/collectives/communicator/call_forms.h"

namespace rondo::testing {

inline constexpr int kRanks = 3;
inline constexpr std::size_t kWhole = 12;  ///< elements of all ranks' parts
/// Of the parts, where they differ; as different from each other when they are turned by one.
inline const std::vector<std::size_t> kParts = {2, 7, 3};

struct Mistake {
  std::function<bool(const Form&)> possible;
  std::function<void(Arguments&)> make;
  std::string complaint;
};

/// kBarrier for messages.
inline Collective collective_of(const Form& form) { return form.value({}).collective; }
inline bool has_two_buffers(const Form& form) { return form.buffers == Form::Buffers::kTwo; }
inline bool has_one_buffer(const Form& form) { return form.buffers == Form::Buffers::kOne; }
inline bool is_message(const Form& form) { return form.buffers == Form::Buffers::kMessage; }
inline bool is_collective(const Form& form) { return !is_message(form); }
inline bool combines(const Form& form) { return reduces(collective_of(form)); }
inline bool is_rooted(const Form& form) { return has_root(collective_of(form)); }
inline bool is_uneven(const Form& form) { return form.value({}).uneven; }
inline bool is_all_to_all(const Form& form) { return collective_of(form) == Collective::kAllToAll; }
inline bool gathers(const Form& form) {
  return collective_of(form) == Collective::kAllGather ||
         collective_of(form) == Collective::kGather;
}
inline bool scatters(const Form& form) {
  return collective_of(form) == Collective::kReduceScatter ||
         collective_of(form) == Collective::kScatter;
}

/// Right as far as one rank can see.
inline Arguments right_arguments(const Form& form, int rank, std::vector<float>& data) {
  const std::size_t part =
      is_uneven(form) ? kParts[static_cast<std::size_t>(rank)] : kWhole / kRanks;
  return {.input = {data.data(), gathers(form) ? part : kWhole},
          .output = {data.data() + 2 * kWhole, scatters(form) ? part : kWhole},
          .input_counts = kParts,
          .output_counts = kParts,
          .root = rank};
}

inline void* shifted(void* pointer, std::size_t bytes) {
  return static_cast<std::byte*>(pointer) + bytes;
}
inline const void* shifted(const void* pointer, std::size_t bytes) {
  return static_cast<const std::byte*>(pointer) + bytes;
}

/// In the buffer that messages call `name`.
template <auto kBuffer>
void add_of_buffer(const std::string& name, bool (*possible)(const Form&),
                   std::vector<Mistake>& list) {
  list.push_back({possible, [](Arguments& a) { (a.*kBuffer).pointer = nullptr; },
                  name + ".pointer is null but its count is"});
  list.push_back({possible, [](Arguments& a) { (a.*kBuffer).count = SIZE_MAX / 2; },
                  name + ".count " + std::to_string(SIZE_MAX / 2) + " overflows"});
  list.push_back({possible, [](Arguments& a) { (a.*kBuffer).dtype = static_cast<DataType>(77); },
                  name + ".dtype is no DataType (value 77)"});
  list.push_back({possible,
                  [](Arguments& a) { (a.*kBuffer).pointer = shifted((a.*kBuffer).pointer, 1); },
                  name + ".pointer is not aligned to its f32 elements"});
}

/// In the counts of the parts of the buffer `name`.
template <auto kCounts>
void add_of_counts(const std::string& name, const std::function<bool(const Form&)>& possible,
                   std::vector<Mistake>& list) {
  list.push_back({possible, [](Arguments& a) { (a.*kCounts).pop_back(); },
                  "there are 2 counts of the " + name + " for 3 ranks"});
  list.push_back({possible, [](Arguments& a) { ++(a.*kCounts).back(); },
                  "the counts of the " + name + " sum to 13, but " + name + ".count is 12"});
  list.push_back({possible, [](Arguments& a) { (a.*kCounts).front() = SIZE_MAX; },
                  "the counts of the " + name + " overflow the address space"});
}

/// Each buffer by itself would do, but not that of all ranks.
inline void make_too_large_for_the_world(Arguments& a) {
  constexpr std::size_t kFactor = SIZE_MAX / 2 / sizeof(float) / kWhole;
  for (std::size_t* count : {&a.input.count, &a.output.count}) *count *= kFactor;
  for (auto* counts : {&a.input_counts, &a.output_counts})
    for (std::size_t& count : *counts) count *= kFactor;
}

inline void turn(std::vector<std::size_t>& counts) {
  std::rotate(counts.begin(), counts.begin() + 1, counts.end());
}

inline void turn_both(Arguments& a) {
  turn(a.input_counts);
  turn(a.output_counts);
}

inline std::vector<Mistake> of_rules() {
  return {
      {has_two_buffers,
       [](Arguments& a) { a.input.pointer = shifted(a.output.pointer, sizeof(float)); },
       "input and output overlap"},
      {is_all_to_all, [](Arguments& a) { a.input.pointer = a.output.pointer; },
       "input and output overlap"},
      {has_two_buffers, [](Arguments& a) { a.output.dtype = DataType::kI32; },
       "input is f32 but output is i32"},
      {has_two_buffers, [](Arguments& a) { ++a.input.count; }, "input.count"},
      {is_collective, make_too_large_for_the_world, "on each of 3 ranks overflows"},
      {combines, [](Arguments& a) { a.op = static_cast<ReduceOp>(99); },
       "op is no ReduceOp (value 99)"},
      {combines, [](Arguments& a) { a.op = Reduction::custom({}); },
       "the custom reduction has no function"},
      {is_rooted, [](Arguments& a) { a.root = kRanks; },
       "root 3 is no rank of a world of 3 (0 to 2)"},
      {is_rooted, [](Arguments& a) { a.root = -1; }, "root -1 is no rank"},
      {is_message, [](Arguments& a) { a.root = kRanks; },
       "peer 3 is no rank of a world of 3 (0 to 2)"},
      {is_message, [](Arguments& a) { a.root = -1; }, "peer -1 is no rank"},
      {[](const Form& form) { return is_uneven(form) && !is_all_to_all(form); }, turn_both,
       "the count of this rank ("},
      {[](const Form& form) { return is_uneven(form) && is_all_to_all(form); },
       [](Arguments& a) { turn(a.input_counts); }, "sends itself"},
  };
}

inline std::vector<Mistake> all_mistakes() {
  std::vector<Mistake> list = of_rules();
  add_of_buffer<&Arguments::input>("input", has_two_buffers, list);
  add_of_buffer<&Arguments::output>("output", has_two_buffers, list);
  add_of_buffer<&Arguments::output>("input", has_one_buffer, list);
  add_of_buffer<&Arguments::output>("data", is_message, list);
  add_of_counts<&Arguments::input_counts>(
      "input", [](const Form& form) { return is_uneven(form) && !gathers(form); }, list);
  add_of_counts<&Arguments::output_counts>(
      "output", [](const Form& form) { return is_uneven(form) && !scatters(form); }, list);
  return list;
}

}  // namespace rondo::testing
