// Ranks that disagree, bad arguments, and peers that are gone: one clear error, never a hang.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

#include "tests/collectives/communicator/spawn.h"

namespace rondo::testing {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Buffer floats(std::vector<float>& data) { return {data.data(), data.size()}; }

class Mismatch : public ::testing::TestWithParam<std::tuple<std::string, int>> {
 protected:
  /// Rank 0 calls `odd`, all others `even`; every rank must get an error and one of them must name
  /// both ranks' calls.
  void expect_mismatch(const RankFunction& odd, const RankFunction& even, const char* odd_text,
                       const char* even_text) {
    const auto& [transport, world] = GetParam();
    auto ranks = make_world({.size = world, .transport = transport, .timeout_ms = 20'000});
    std::vector<std::string> errors = run_ranks(ranks, [&](Communicator& rank) {
      rank.barrier();
      rank.rank() == 0 ? odd(rank) : even(rank);
      // A rank whose own call needed nothing of the others notices at the next one.
      rank.barrier();
    });
    bool both_named = false;
    for (const std::string& error : errors) {
      EXPECT_THAT(error, AnyOf(HasSubstr("Mismatch"), HasSubstr("PeerLost")));
      both_named |= error.find(odd_text) != std::string::npos &&
                    error.find(even_text) != std::string::npos &&
                    error.find("rank 0") != std::string::npos;
    }
    EXPECT_TRUE(both_named) << errors[0] << "\n" << errors[1];
  }
};

TEST_P(Mismatch, Counts_Differ_BothAreNamed) {
  std::vector<std::vector<float>> data(16, std::vector<float>(1000, 1.5F));
  expect_mismatch(
      [&](Communicator& rank) {
        rank.all_reduce({data[0].data(), 999});
      },
      [&](Communicator& rank) {
        rank.all_reduce(floats(data[static_cast<std::size_t>(rank.rank())]));
      },
      "count=999", "count=1000");
}

TEST_P(Mismatch, Types_Differ_BothAreNamed) {
  std::vector<std::vector<float>> data(16, std::vector<float>(1000, 1.5F));
  expect_mismatch(
      [&](Communicator& rank) {
        rank.all_reduce({data[0].data(), 1000, DataType::kI32, Device::host()});
      },
      [&](Communicator& rank) {
        rank.all_reduce(floats(data[static_cast<std::size_t>(rank.rank())]));
      },
      "i32", "f32");
}

TEST_P(Mismatch, Collectives_Differ_BothAreNamed) {
  std::vector<std::vector<float>> data(16, std::vector<float>(1000, 1.5F));
  expect_mismatch([&](Communicator& rank) { rank.broadcast(floats(data[0]), 0); },
                  [&](Communicator& rank) {
                    rank.all_reduce(floats(data[static_cast<std::size_t>(rank.rank())]));
                  },
                  "broadcast(", "all_reduce(");
}

TEST_P(Mismatch, Roots_Differ_BothAreNamed) {
  const int world = std::get<1>(GetParam());
  std::vector<std::vector<float>> data(16, std::vector<float>(10, 1.5F));
  expect_mismatch([&](Communicator& rank) { rank.broadcast(floats(data[0]), world - 1); },
                  [&](Communicator& rank) {
                    rank.broadcast(floats(data[static_cast<std::size_t>(rank.rank())]),
                                   1 % (world - 1));
                  },
                  "root", "root");
}

TEST_P(Mismatch, Roots_OfAGatherDiffer_BothAreNamed) {
  const auto world = static_cast<std::size_t>(std::get<1>(GetParam()));
  std::vector<std::vector<float>> data(16, std::vector<float>(10 * world, 1.5F));
  const auto gather_to = [&](Communicator& rank, int root) {
    auto& own = data[static_cast<std::size_t>(rank.rank())];
    rank.gather({own.data() + 10 * rank.rank(), 10}, {own.data(), 10 * world}, root);
  };
  expect_mismatch([&](Communicator& rank) { gather_to(rank, 0); },
                  [&](Communicator& rank) { gather_to(rank, 1); }, "root 0", "root 1");
}

INSTANTIATE_TEST_SUITE_P(Worlds, Mismatch,
                         ::testing::Combine(::testing::Values("inproc", "shm", "tcp"),
                                            ::testing::Values(3, 4, 8)),
                         [](const auto& parameter) {
                           return std::get<0>(parameter.param) + "_" +
                                  std::to_string(std::get<1>(parameter.param));
                         });

class Peers : public ::testing::TestWithParam<std::string> {};

TEST_P(Peers, OneLeaves_OthersAreTold) {
  auto ranks = make_world({.size = 3, .transport = GetParam(), .timeout_ms = 20'000});
  std::vector<std::optional<Communicator>> handles;
  for (Communicator& rank : ranks) handles.emplace_back(std::move(rank));
  std::vector<std::string> errors(3);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 3; ++i) {
    threads.emplace_back([&, i] {
      std::vector<float> data(5000, 0.5F);
      try {
        handles[i]->all_reduce(floats(data));
        if (i == 1) {
          handles[i].reset();
          return;
        }
        handles[i]->all_reduce(floats(data));
      } catch (const std::exception& error) {
        errors[i] = error.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(errors[0], HasSubstr("rank 1"));
  EXPECT_THAT(errors[2], HasSubstr("rank 1"));
  EXPECT_THAT(errors[0], HasSubstr("PeerLost"));
}

TEST_P(Peers, OneIsLate_TimeoutNamesIt) {
  // So long that the first call ends well on a machine that is stopped now and then.
  auto ranks = make_world({.size = 3, .transport = GetParam(), .timeout_ms = 2000});
  std::atomic<int> has_waited = 0;
  const auto errors = run_ranks(ranks, [&](Communicator& rank) {
    std::vector<float> data(5000, 0.5F);
    rank.all_reduce(floats(data));
    // Late is who comes after the others have given up.
    const auto latest = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (rank.rank() == 2 && has_waited < 2 && std::chrono::steady_clock::now() < latest)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    try {
      rank.all_reduce(floats(data));
    } catch (...) {
      ++has_waited;
      throw;
    }
  });
  EXPECT_THAT(errors[0], HasSubstr("Timeout"));
  EXPECT_THAT(errors[1], HasSubstr("Timeout"));
  EXPECT_THAT(errors[0] + errors[1], HasSubstr("rank 2"));
  EXPECT_THAT(errors[2], HasSubstr("gave up"));
}

TEST_P(Peers, OneAborts_WaitingAndLaterCallsFailWithItsReason) {
  auto ranks = make_world({.size = 3, .transport = GetParam(), .timeout_ms = 20'000});
  const auto errors = run_ranks(ranks, [](Communicator& rank) {
    std::vector<float> data(5000, 0.5F);
    rank.all_reduce(floats(data));
    const Error cause(ErrorCode::kDataLoss, "the file ends too soon");
    if (rank.rank() == 1) rank.abort(cause);
    rank.all_reduce(floats(data));
  });
  const char* reason = "DataLoss: rank 1 gave up: the file ends too soon";
  for (const std::size_t rank : {0U, 2U}) EXPECT_THAT(errors[rank], StartsWith(reason));
  EXPECT_THAT(errors[1], HasSubstr("can't be used any more: the file ends too soon"));
  try {
    ranks[2].barrier();
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.culprit(), 1);
    EXPECT_THAT(error.what(), HasSubstr("rank 1 gave up"));
  }
}

/// Between places of one process, who gives up has told the others when `abort` returns.
TEST(Places, OneGaveUp_TheNextCallOfARootThatWaitsForNobodyFails) {
  auto ranks = make_world({.size = 2, .transport = "inproc", .timeout_ms = 20'000});
  std::atomic<bool> has_given_up = false;
  const auto errors = run_ranks(ranks, [&](Communicator& rank) {
    float value = 0.5F;
    for (int call = 0; call < 20; ++call) {
      rank.broadcast({&value, 1}, 0);
      rank.barrier();
    }
    if (rank.rank() == 1) {
      rank.abort(Error(ErrorCode::kDataLoss, "the file ends too soon"));
      has_given_up = true;
      return;
    }
    while (!has_given_up) std::this_thread::yield();
    rank.broadcast({&value, 1}, 0);
  });
  EXPECT_THAT(errors[0], StartsWith("DataLoss: rank 1 gave up: the file ends too soon"));
}

INSTANTIATE_TEST_SUITE_P(Transports, Peers, ::testing::Values("inproc", "shm", "tcp"),
                         [](const auto& parameter) { return parameter.param; });

TEST(LastCall, DifferentRootsOfABroadcast_AreReportedAtTheEnd) {
  for (const char* transport : {"shm", "inproc"}) {
    ::testing::internal::CaptureStderr();
    spawn({.size = 2, .transport = transport}, [](Communicator& rank) {
      std::vector<float> data(4, 1.5F);
      rank.broadcast(floats(data), rank.rank());
    });
    EXPECT_THAT(::testing::internal::GetCapturedStderr(),
                ::testing::AllOf(HasSubstr("root 0"), HasSubstr("root 1")))
        << transport;
  }
}

std::string error_of(const std::function<void(Communicator&)>& call,
                     ErrorCode code = ErrorCode::kInvalidArgument) {
  Communicator alone = Communicator::create();
  try {
    call(alone);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    return error.what();
  }
  return "no error";
}

/// Two ranks that both only send: neither waits, and what they leave behind belongs to no message
/// that the calls after it take.
TEST(LastCall, DifferentRootsBetweenTwoRanks_AreReportedByACallWithoutMessages) {
  for (const char* transport : {"inproc", "shm"}) {
    for (const bool barrier : {true, false}) {
      std::vector<Communicator> ranks = make_world({.size = 2, .transport = transport});
      const auto errors = run_ranks(ranks, [&](Communicator& rank) {
        std::vector<float> data(4, 1);
        rank.broadcast({data.data(), data.size()}, rank.rank());
        if (barrier) {
          rank.barrier();
        } else {
          rank.all_reduce({data.data(), data.size()});
        }
      });
      for (const std::string& error : errors) {
        EXPECT_THAT(error, HasSubstr("Mismatch")) << transport;
        EXPECT_THAT(error, HasSubstr("broadcast")) << transport;
      }
    }
  }
}

/// The second rank is a call ahead when it shows its first bulletin.
TEST(LastCall, BarrierWhereThePeerOnlySent_NamesBothCalls) {
  for (const char* transport : {"inproc", "shm"}) {
    std::vector<Communicator> ranks = make_world({.size = 2, .transport = transport});
    const auto errors = run_ranks(ranks, [&](Communicator& rank) {
      std::vector<float> data(4, 1);
      if (rank.rank() == 1) rank.broadcast({data.data(), data.size()}, 1);
      rank.barrier();
      rank.barrier();
    });
    for (const std::string& error : errors) {
      EXPECT_THAT(error, HasSubstr("Mismatch")) << transport;
      EXPECT_THAT(error, HasSubstr("broadcast")) << transport;
      EXPECT_THAT(error, HasSubstr("barrier")) << transport;
    }
  }
}

TEST(Arguments, HandleThatWasMovedFrom_SaysSo) {
  Communicator first = Communicator::create();
  const Communicator second = std::move(first);
  EXPECT_EQ(second.size(), 1);
  float value = 1;
  // NOLINTBEGIN(bugprone-use-after-move): that is what is tested
  for (const auto& use : {std::function<void()>([&] { first.size(); }), std::function<void()>([&] {
                            first.all_reduce({&value, 1});
                          }),
                          std::function<void()>([&] { first.barrier(); })}) {
    EXPECT_THAT(use, ::testing::ThrowsMessage<Error>(HasSubstr("was moved from")));
  }
  // NOLINTEND(bugprone-use-after-move)
}

TEST(Arguments, PreparedCallThatWasMovedFrom_SaysSo) {
  Communicator world = Communicator::create();
  float value = 1;
  Prepared first = world.prepare(Call::all_reduce({&value, 1}));
  Prepared second = std::move(first);
  second.run();
  // NOLINTBEGIN(bugprone-use-after-move): that is what is tested
  EXPECT_THAT([&] { first.run(); }, ::testing::ThrowsMessage<Error>(HasSubstr("was moved from")));
  EXPECT_THAT([&] { first.start(); }, ::testing::ThrowsMessage<Error>(HasSubstr("was moved from")));
  // NOLINTEND(bugprone-use-after-move)
}

TEST(Arguments, NullPointer_NamesTheArgument) {
  EXPECT_THAT(error_of([](Communicator& rank) {
                rank.all_reduce({static_cast<float*>(nullptr), 5});
              }),
              HasSubstr("input.pointer is null but its count is 5"));
}

TEST(Arguments, CountOverflows_IsAnError) {
  float one = 1;
  EXPECT_THAT(error_of([&](Communicator& rank) {
                rank.all_reduce({&one, SIZE_MAX / 2});
              }),
              HasSubstr("overflows"));
}

TEST(Arguments, Overlap_IsAnError) {
  std::vector<float> data(10);
  EXPECT_THAT(error_of([&](Communicator& rank) {
                rank.all_reduce({data.data(), 5}, {data.data() + 2, 5});
              }),
              HasSubstr("overlap"));
}

TEST(Arguments, RootOutOfRange_IsAnError) {
  float one = 1;
  EXPECT_THAT(error_of([&](Communicator& rank) {
                rank.broadcast({&one, 1}, 1);
              }),
              HasSubstr("root 1 is no rank of a world of 1"));
}

TEST(Arguments, CountsDontFit_IsAnError) {
  std::vector<float> data(10);
  EXPECT_THAT(error_of([&](Communicator& rank) {
                rank.all_gather({data.data(), 2}, {data.data() + 5, 5});
              }),
              HasSubstr("output.count == input.count * size()"));
}

TEST(Arguments, UnknownTypeAndOp_AreErrors) {
  float one = 1;
  EXPECT_THAT(error_of([&](Communicator& rank) {
                rank.all_reduce({&one, 1, static_cast<DataType>(77), Device::host()});
              }),
              HasSubstr("dtype"));
  EXPECT_THAT(error_of([&](Communicator& rank) {
                rank.all_reduce({&one, 1}, static_cast<ReduceOp>(9));
              }),
              HasSubstr("op is no ReduceOp"));
}

TEST(Arguments, OpThatTheTypeHasNot_IsRefusedInAWorldOfOneToo) {
  float one = 1;
  EXPECT_THAT(error_of(
                  [&](Communicator& rank) {
                    rank.all_reduce({&one, 1}, ReduceOp::kBitAnd);
                  },
                  ErrorCode::kUnsupported),
              HasSubstr("band of f32"));
}

TEST(Arguments, DeviceThatIsNotThere_IsRefusedWhereTheWorldIsJoined) {
  for (const Device device : {Device::emulated(99), Device{DeviceKind::kHost, 3}}) {
    EXPECT_THROW(Communicator::create({}, device), Error);
  }
}

TEST(Arguments, TcpSocketsOutOfRange_NameTheOptionsVariable) {
  for (const int sockets : {-1, 17}) {
    CommunicatorOptions options;
    options.tcp_sockets = sockets;
    try {
      Communicator::create(options);
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
      EXPECT_THAT(error.what(), HasSubstr("there may be 1 to 16"));
      EXPECT_THAT(error.what(), HasSubstr("RONDO_TCP_SOCKETS"));
    }
  }
}

TEST(Arguments, UnknownAlgorithm_ListsThem) {
  CommunicatorOptions options;
  options.algorithm = "rign";
  try {
    Communicator::create(options);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("there is no algorithm 'rign'; there are: auto, ring, "));
    EXPECT_THAT(error.what(), HasSubstr("(option algorithm, RONDO_ALGO)"));
  }
}

}  // namespace
}  // namespace rondo::testing
