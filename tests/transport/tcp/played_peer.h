#pragma once

// A transport whose one peer is played by the test.

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "tests/transport/tcp/raw_socket.h"
#include "tests/transport/tcp/tcp_world.h"
#include "transport/wire/frame.h"
#include "transport/wire/hello.h"

namespace rondo::transport {

using Bytes = std::vector<std::byte>;

// Rank 0 is a real transport, rank 1 is played by the test over two plain sockets.
class PlayedPeer : public ::testing::Test {
 protected:
  void SetUp() override { start({}); }

  void start(const TcpOptions& options) {
    rank_0_ = listen_as({.job = 0x5eed, .epoch = 2, .rank = 0, .world = 2}, options);
    std::thread joining([&] {
      const PeerAddress peer{1, "127.0.0.1:1"};
      joined_ = rank_0_->connect({&peer, 1}, after_ms(60'000));
    });
    control_ = join(Purpose::kControl);
    data_ = join(Purpose::kData);
    joining.join();
    ASSERT_TRUE(joined_.ok()) << joined_.to_string();
    end_ = rank_0_->endpoint(1);
    end_->begin({1, 2, sum_of(1009)}, {});
  }

  UniqueFd join(Purpose purpose) const {
    Hello hello;
    hello.purpose = purpose;
    hello.from = {.job = 0x5eed, .epoch = 2, .rank = 1, .world = 2};
    hello.to = 0;
    hello.nonce = 11;
    hello.max_message_bytes = 1 << 20;
    hello.window = 4;
    UniqueFd socket = dial(rank_0_->address());
    write_all(socket, encode_hello(hello));
    std::array<std::byte, kAnswerBytes> answer;
    EXPECT_TRUE(read_all(socket, answer));
    const Result<Answer> decoded = decode_answer(answer);
    EXPECT_TRUE(decoded.ok() && decoded->welcome);
    return socket;
  }
  void write_header(std::uint64_t bytes, Call call = {1, 2, sum_of(1009)}) const {
    write_header({.lane = 0, .payload_bytes = bytes, .call = call});
  }
  void write_header(const FrameHeader& header) const {
    std::array<std::byte, kFrameHeaderBytes> block;
    encode_frame_header(header, block);
    write_all(data_, block);
  }
  Token recv(std::span<std::byte> target) {
    const Transfer transfer{TransferKind::kRecv, 0, target.data(), target.size()};
    return *end_->post({&transfer, 1});
  }
  Status first_error() {
    const Deadline deadline = after_ms(60'000);
    Status error;
    while (error.ok() && std::chrono::steady_clock::now() < deadline) error = rank_0_->progress();
    return error;
  }

  std::unique_ptr<TcpTransport> rank_0_;
  Status joined_;
  UniqueFd control_;
  UniqueFd data_;
  Endpoint* end_ = nullptr;
};

}  // namespace rondo::transport
