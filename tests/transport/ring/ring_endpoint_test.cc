#include "transport/ring/ring_endpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>

#include "tests/transport/ring/ring_pair.h"

namespace rondo::transport {
namespace {

using testing::HasSubstr;

const Call kCall{.sequence = 5, .fingerprint = {.collective = 1, .count = 77}};

class RingEndpointTest : public testing::Test {
 protected:
  RingEndpointTest() { pair_.begin(kCall); }

  Transfer send(std::size_t bytes) {
    return {.kind = TransferKind::kSend, .data = pair_.range().data(), .bytes = bytes};
  }
  Transfer recv(std::size_t bytes, TransferKind kind = TransferKind::kRecv) {
    target_.assign(bytes, std::byte{0});
    return {.kind = kind, .data = target_.data(), .bytes = bytes};
  }
  Result<Token> post(int rank, const Transfer& transfer) {
    return pair_.endpoint(rank).post(std::span(&transfer, 1));
  }
  // Rank 0 sends `bytes` lent bytes, `damage` changes the line, rank 1 receives.
  Status receive_damaged(std::size_t bytes, const std::function<void(Line&)>& damage) {
    EXPECT_TRUE(post(0, send(bytes)).ok());
    damage(pair_.channel(0).lines[0][0]);
    return post(1, recv(bytes)).status();
  }

  RingPair pair_;
  std::vector<std::byte> target_;
};

TEST_F(RingEndpointTest, Recv_ofALineWithBadLocation_isDataLossThatNamesThePeer) {
  const Status status = receive_damaged(
      1000, [](Line& line) { line.content.where.location = ~std::uint64_t{0} - 500; });
  EXPECT_EQ(status.code(), ErrorCode::kDataLoss);
  EXPECT_EQ(status.culprit(), 0);
}

TEST_F(RingEndpointTest, APeerThatLeft_IsMissedByCalls_NotByAReceiveThatBelongsToNone) {
  std::array<std::byte, 24> header{};
  const auto open = post(1, {.kind = TransferKind::kRecv,
                             .lane = kFirstFreeLane,
                             .data = header.data(),
                             .bytes = header.size()});
  ASSERT_TRUE(open.ok());
  ASSERT_TRUE(post(0, send(1000)).ok());
  PlainEndpoint& endpoint = pair_.endpoint(1);
  endpoint.peer_left(Status(ErrorCode::kPeerLost, "rank 0 left", 0));

  EXPECT_EQ(endpoint.poll(*open).status().code(), ErrorCode::kPeerLost);
  EXPECT_TRUE(endpoint.failure().ok());
  const auto last = post(1, recv(1000));
  ASSERT_TRUE(last.ok()) << last.status().to_string();
  EXPECT_TRUE(*endpoint.poll(*last));
  const auto more = post(1, recv(1000));
  EXPECT_EQ(more.ok() ? endpoint.poll(*more).status().code() : more.status().code(),
            ErrorCode::kPeerLost);
  EXPECT_FALSE(endpoint.failure().ok());
}

TEST_F(RingEndpointTest, Recv_ofALineOfUnknownKind_isDataLoss) {
  const Status status = receive_damaged(1000, [](Line& line) {
    line.content.kind_and_bytes = LineContent::pack(static_cast<LineKind>(99), 1000);
  });
  EXPECT_EQ(status.code(), ErrorCode::kDataLoss);
  EXPECT_THAT(status.message(), HasSubstr("99"));
}

TEST_F(RingEndpointTest, Recv_ofALineWithASlotThatIsNotThere_isDataLoss) {
  const Status status = receive_damaged(1000, [](Line& line) {
    line.content.kind_and_bytes = LineContent::pack(LineKind::kSlot, 1000);
    line.content.where.slot = RingPair::kSlotCount;
  });
  EXPECT_EQ(status.code(), ErrorCode::kDataLoss);
}

TEST_F(RingEndpointTest, Recv_ofALineThatClaimsToHoldMoreThanALine_isDataLoss) {
  const Status status = receive_damaged(1000, [](Line& line) {
    line.content.kind_and_bytes = LineContent::pack(LineKind::kInline, 1000);
  });
  EXPECT_EQ(status.code(), ErrorCode::kDataLoss);
}

TEST_F(RingEndpointTest, Recv_ofALineOfAFinishedCall_isDataLoss) {
  const Status status = receive_damaged(1000, [](Line& line) { line.content.sequence = 4; });
  EXPECT_EQ(status.code(), ErrorCode::kDataLoss);
  EXPECT_EQ(pair_.channel(1).consumed[0].count.load(), 0u);
}

TEST_F(RingEndpointTest, Recv_ofAnotherSize_isMismatchAndLeavesTheLine) {
  ASSERT_TRUE(post(0, send(1000)).ok());
  const Status status = post(1, recv(999)).status();
  EXPECT_EQ(status.code(), ErrorCode::kMismatch);
  EXPECT_EQ(status.culprit(), 0);
  EXPECT_THAT(status.message(), testing::AllOf(HasSubstr("1000"), HasSubstr("999")));
  EXPECT_EQ(pair_.channel(1).consumed[0].count.load(), 0u);
}

TEST_F(RingEndpointTest, Send_whosePeerCountsMoreThanWasSent_isDataLoss) {
  const auto token = post(0, send(1000));
  ASSERT_TRUE(token.ok());
  pair_.channel(1).consumed[0].count = 2;
  EXPECT_EQ(pair_.endpoint(0).poll(*token).status().code(), ErrorCode::kDataLoss);
}

TEST_F(RingEndpointTest, Send_whosePeerCountsBackwards_isDataLoss) {
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(post(0, send(1000)).ok());
    ASSERT_TRUE(post(1, recv(1000)).ok());
  }
  ASSERT_TRUE(pair_.endpoint(0).progress().ok());
  const auto token = post(0, send(1000));
  ASSERT_TRUE(token.ok());
  pair_.channel(1).consumed[0].count = 1;
  EXPECT_EQ(pair_.endpoint(0).poll(*token).status().code(), ErrorCode::kDataLoss);
}

TEST_F(RingEndpointTest, Error_onceSeen_comesBackFromEveryLaterCall) {
  ASSERT_EQ(receive_damaged(1000, [](Line& line) { line.content.sequence = 4; }).code(),
            ErrorCode::kDataLoss);
  EXPECT_EQ(post(1, recv(8)).status().code(), ErrorCode::kDataLoss);
  EXPECT_EQ(pair_.endpoint(1).progress().code(), ErrorCode::kDataLoss);
}

TEST_F(RingEndpointTest, Message_throughSlots_moreThanTheyHold_arrivesAsSlotsBecomeFree) {
  std::vector<std::byte> source(RingPair::kSlotBytes * RingPair::kSlotCount * 5 + 3);
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<std::byte>(i * 7 / 5);
  const auto sent =
      post(0, {.kind = TransferKind::kSend, .data = source.data(), .bytes = source.size()});
  ASSERT_TRUE(sent.ok());
  EXPECT_FALSE(*pair_.endpoint(0).poll(*sent));
  const auto received = post(1, recv(source.size()));
  ASSERT_TRUE(received.ok());
  bool done = false;
  for (int turn = 0; turn < 10 && !done; ++turn) {
    ASSERT_TRUE(pair_.endpoint(0).progress().ok());
    done = *pair_.endpoint(1).poll(*received);
  }
  ASSERT_TRUE(done);
  EXPECT_TRUE(*pair_.endpoint(0).poll(*sent));
  EXPECT_EQ(target_, source);
  EXPECT_EQ(pair_.endpoint(0).traffic().sent_bytes, source.size());
  EXPECT_EQ(pair_.endpoint(1).traffic().received_bytes, source.size());
}

TEST_F(RingEndpointTest, Doorbell_ringsOncePerSleep) {
  announce_sleep(pair_.head(1).sleep);
  ASSERT_TRUE(post(0, send(8)).ok());
  ASSERT_TRUE(post(0, send(8)).ok());
  EXPECT_EQ(pair_.endpoint(0).doorbells, 1);
  announce_wake(pair_.head(1).sleep);
  ASSERT_TRUE(post(0, send(8)).ok());
  EXPECT_EQ(pair_.endpoint(0).doorbells, 1);
  announce_sleep(pair_.head(1).sleep);
  announce_sleep(pair_.head(1).sleep);  // not disarmed in between
  ASSERT_TRUE(post(0, send(8)).ok());
  EXPECT_EQ(pair_.endpoint(0).doorbells, 2);
}

TEST_F(RingEndpointTest, Doorbell_ringsForTheSenderThatWaitsForConsumption) {
  ASSERT_TRUE(post(0, send(1000)).ok());
  announce_sleep(pair_.head(0).sleep);
  const auto view = post(1, recv(1000, TransferKind::kRecvView));
  ASSERT_TRUE(view.ok());
  EXPECT_TRUE(*pair_.endpoint(1).poll(*view));
  EXPECT_EQ(pair_.endpoint(1).doorbells, 0);
  EXPECT_FALSE(pair_.endpoint(0).can_progress());
  pair_.endpoint(1).release(*view);
  EXPECT_EQ(pair_.endpoint(1).doorbells, 1);
  EXPECT_TRUE(pair_.endpoint(0).can_progress());
}

TEST_F(RingEndpointTest, Post_beyondTheWindow_isInternalAndLeavesTheRestAlone) {
  std::vector<Token> tokens;
  for (std::size_t i = 0; i < RingEndpoint::kWindow; ++i) {
    const auto token = post(0, send(1000));
    ASSERT_TRUE(token.ok());
    tokens.push_back(*token);
  }
  EXPECT_EQ(post(0, send(1000)).status().code(), ErrorCode::kInternal);
  for (std::size_t i = 0; i < RingEndpoint::kWindow; ++i) ASSERT_TRUE(post(1, recv(1000)).ok());
  for (const Token token : tokens) EXPECT_TRUE(*pair_.endpoint(0).poll(token));
}

TEST_F(RingEndpointTest, Post_ofAnImpossibleGroup_isInternal) {
  Transfer wrong_lane = send(8);
  wrong_lane.lane = kMaxLanes;
  EXPECT_EQ(post(0, wrong_lane).status().code(), ErrorCode::kInternal);
  const Transfer view = recv(8, TransferKind::kRecvView);
  const std::array group{view, view};
  EXPECT_EQ(pair_.endpoint(0).post(group).status().code(), ErrorCode::kInternal);
}

TEST_F(RingEndpointTest, PeerStore_withAPeerWhoseRegionIsOutside_isNull) {
  pair_.endpoint(1).begin(kCall, {pair_.range().first(512), {}});
  EXPECT_EQ(pair_.endpoint(0).peer_store(StoreRegion::kOutput, 12, 500), pair_.range().data() + 12);
  EXPECT_EQ(pair_.endpoint(0).peer_store(StoreRegion::kOutput, 13, 500), nullptr);
  EXPECT_EQ(pair_.endpoint(0).peer_store(StoreRegion::kOutput, ~std::size_t{0}, 2), nullptr);
  EXPECT_EQ(pair_.endpoint(0).peer_store(StoreRegion::kScratch, 0, 1), nullptr);
  pair_.channel(1).stores.location[0] = std::uint64_t{1} << 60;
  EXPECT_EQ(pair_.endpoint(0).peer_store(StoreRegion::kOutput, 0, 8), nullptr);
}

}  // namespace
}  // namespace rondo::transport
