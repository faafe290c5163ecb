#pragma once

// A call that is refused for its arguments: by the function and by the value that makes it, run,
// started or prepared; and what shows afterwards that the communicator goes on.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "rondo/communicator.h"
#include "tests/collectives/communicator/call_forms.h"

namespace rondo::testing {

inline void expect_refusal(const std::function<void()>& call, const std::string& complaint) {
  using ::testing::AllOf;
  using ::testing::Property;
  EXPECT_THAT(call, ::testing::Throws<Error>(
                        AllOf(Property(&Error::code, ErrorCode::kInvalidArgument),
                              Property(&Error::message, ::testing::HasSubstr(complaint)))));
}

inline void expect_refusal(Communicator& rank, const Call& call, const std::string& complaint) {
  expect_refusal([&] { rank.run(call); }, complaint);
  expect_refusal([&] { static_cast<void>(rank.start(call)); }, complaint);
  expect_refusal([&] { static_cast<void>(rank.prepare(call)); }, complaint);
}

inline void expect_refusal(Communicator& rank, const Form& form, const Arguments& wrong,
                           const std::string& complaint) {
  const ::testing::ScopedTrace trace(__FILE__, __LINE__, form.name);
  expect_refusal([&] { form.function(rank, wrong); }, complaint);
  expect_refusal(rank, form.value(wrong), complaint);
}

/// Sums that are exact.
inline void expect_usable(Communicator& rank) {
  std::vector<float> data(1009);
  const auto own = static_cast<float>(rank.rank());
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = 0.25F * (own + static_cast<float>(i));
  rank.all_reduce({data.data(), data.size()});
  const auto ranks = static_cast<float>(rank.size());
  for (std::size_t i = 0; i < data.size(); ++i) {
    const float sum = 0.25F * ranks * ((ranks - 1) / 2 + static_cast<float>(i));
    ASSERT_EQ(data[i], sum) << "element " << i << " of rank " << rank.rank();
  }
}

}  // namespace rondo::testing
