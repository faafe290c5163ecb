// Calls as values, and options, that say what no function can: counts of parts that the call has no
// use for, a collective that there isn't, a time that is none.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/collectives/communicator/call_forms.h"
#include "tests/collectives/communicator/mistakes.h"
#include "tests/collectives/communicator/refusal.h"
#include "tests/collectives/communicator/spawn.h"

namespace rondo::testing {
namespace {

TEST(BadCall, WithCountsThatItHasNoUseFor_IsRefused) {
  spawn({.size = kRanks}, [](Communicator& rank) {
    std::vector<float> data(4 * kWhole);
    for (const Form& form : all_forms()) {
      if (is_message(form)) continue;
      Call call = form.value(right_arguments(form, rank.rank(), data));
      if (!call.uneven && !is_rooted(form)) rank.run(call);  // its like is known from now on
      call.input_counts = call.output_counts = {2, 7, 3, 9};
      if (!call.uneven) expect_refusal(rank, call, "but uneven is false");
      call.uneven = true;
      if (gathers(form)) {
        expect_refusal(rank, call, "4 counts of the input, where only the output has parts");
      } else if (scatters(form)) {
        expect_refusal(rank, call, "4 counts of the output, where only the input has parts");
      } else if (!is_all_to_all(form)) {
        call.root = 1;
        expect_refusal(rank, call, "are for collectives with parts");
      }
    }
    expect_usable(rank);
  });
}

/// Of a root that has made the same call with the right counts only.
TEST(BadCall, WithCountsOfBothSides_IsRefusedWhereItsLikeIsKnown) {
  spawn({.size = kRanks}, [](Communicator& rank) {
    std::vector<float> data(4 * kWhole);
    for (const Form& form : all_forms()) {
      if (is_message(form) || !is_rooted(form) || !is_uneven(form)) continue;
      Arguments arguments = right_arguments(form, rank.rank(), data);
      arguments.root = 0;
      Call call = form.value(arguments);
      rank.run(call);
      if (rank.rank() != 0) continue;
      (gathers(form) ? call.input_counts : call.output_counts) = {9};
      expect_refusal(rank, call, "parts");
    }
    expect_usable(rank);
  });
}

/// A call value that was a send's or a broadcast's before, say: other ranks needn't have the same.
TEST(GoodCall, WithARootThatItHasNoUseFor_IgnoresIt) {
  spawn({.size = kRanks}, [](Communicator& rank) {
    std::vector<float> data(4 * kWhole);
    for (const Form& form : all_forms()) {
      if (is_message(form) || is_rooted(form) || is_uneven(form)) continue;
      Call call = form.value(right_arguments(form, rank.rank(), data));
      for (const int root : {rank.rank(), rank.rank() == 0 ? 99 : 0}) {
        call.root = root;
        rank.run(call);
      }
    }
    expect_usable(rank);
  });
}

TEST(BadCall, OfAnUnknownCollective_IsRefused) {
  spawn({.size = 2}, [](Communicator& rank) {
    std::vector<float> data(4);
    Call call = Call::all_reduce(Buffer(data.data(), data.size()));
    call.collective = static_cast<Collective>(77);
    expect_refusal(rank, call, "unknown collective");
    expect_usable(rank);
  });
}

TEST(BadTimeout, OfACallOrACommunicator_IsRefusedByName) {
  for (const int limit_ms : {0, -1}) {
    const std::string number = std::to_string(limit_ms);
    expect_refusal([&] { Call::barrier().within(limit_ms); },
                   "Call::within: expected at least 1 ms, got " + number);
    CommunicatorOptions options;
    options.timeout_ms = limit_ms;
    expect_refusal([&] { Communicator::create(options); },
                   "a timeout must be at least 1 ms, not " + number + " ms (RONDO_TIMEOUT_MS)");
    options = {};
    options.join_timeout_ms = limit_ms;
    expect_refusal([&] { Communicator::create(options); }, "(RONDO_JOIN_TIMEOUT_MS)");
  }
  spawn({.size = 2}, [](Communicator& rank) {
    std::vector<float> data(4);
    const Buffer buffer(data.data(), data.size());
    // The very same call has just been made, and is known.
    rank.all_reduce(buffer);
    for (Call call : {Call::all_reduce(buffer), Call::barrier(), Call::send(buffer, 0)}) {
      call.timeout_ms = -5;
      expect_refusal(rank, call, "timeout_ms is -5");
    }
    expect_usable(rank);
  });
}

}  // namespace
}  // namespace rondo::testing
