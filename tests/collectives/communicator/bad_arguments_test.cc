// Mistakes in the arguments of every call and its uneven form: each is refused by name, before
// anything is sent, so the communicator goes on.

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "tests/collectives/communicator/call_forms.h"
#include "tests/collectives/communicator/mistakes.h"
#include "tests/collectives/communicator/refusal.h"
#include "tests/collectives/communicator/spawn.h"

namespace rondo::testing {
namespace {

class BadArguments : public ::testing::TestWithParam<std::tuple<Form, std::string>> {};

TEST_P(BadArguments, OfEveryKind_AreRefusedByName_AndHarmNothing) {
  const Form& form = std::get<0>(GetParam());
  const World world{.size = kRanks, .transport = std::get<1>(GetParam()), .timeout_ms = 20'000};
  spawn(world, [&form](Communicator& rank) {
    std::vector<float> data(4 * kWhole);
    const Arguments right = right_arguments(form, rank.rank(), data);
    EXPECT_NO_THROW(static_cast<void>(rank.prepare(form.value(right))));
    for (const Mistake& mistake : all_mistakes()) {
      if (!mistake.possible(form)) continue;
      Arguments wrong = right;
      mistake.make(wrong);
      expect_refusal(rank, form, wrong, mistake.complaint);
    }
    expect_usable(rank);
  });
}

INSTANTIATE_TEST_SUITE_P(Calls, BadArguments,
                         ::testing::Combine(::testing::ValuesIn(all_forms()),
                                            ::testing::Values("inproc", "tcp")),
                         [](const auto& parameters) {
                           return std::string(std::get<0>(parameters.param).name) + "_" +
                                  std::get<1>(parameters.param);
                         });

TEST(BadOverlap, OfAPartAtTheNextRanksPlace_IsRefused) {
  spawn({.size = kRanks}, [](Communicator& rank) {
    const auto next = static_cast<std::size_t>((rank.rank() + 1) % kRanks);
    std::vector<float> data(4 * kWhole);
    for (const Form& form : all_forms()) {
      if (!gathers(form) && !scatters(form)) continue;
      const std::vector<std::size_t> parts =
          is_uneven(form) ? kParts : std::vector<std::size_t>(kRanks, kWhole / kRanks);
      const auto before = parts.begin() + static_cast<std::ptrdiff_t>(next);
      float* const place = data.data() + std::accumulate(parts.begin(), before, std::size_t{0});
      Arguments wrong = right_arguments(form, rank.rank(), data);
      wrong.input.pointer = gathers(form) ? place : data.data();
      wrong.output.pointer = gathers(form) ? data.data() : place;
      expect_refusal(rank, form, wrong, "input and output overlap");
    }
    expect_usable(rank);
  });
}

}  // namespace
}  // namespace rondo::testing
