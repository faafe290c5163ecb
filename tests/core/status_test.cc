#include "core/status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <memory>
#include <string>
#include <utility>

namespace rondo {
namespace {

using ::testing::HasSubstr;

Status peer_lost() {
  return Status(ErrorCode::kPeerLost, "rank 2 closed its connection", 2, "rank 0, lane 1, op 3/6");
}

TEST(Status, default_isOkAndHasNoText) {
  const Status status;
  EXPECT_TRUE(status.ok());
  EXPECT_TRUE(static_cast<bool>(status));
  EXPECT_EQ(status.code(), ErrorCode::kOk);
  EXPECT_EQ(status.message(), "");
  EXPECT_EQ(status.where(), "");
  EXPECT_EQ(status.culprit(), kNoCulprit);
  EXPECT_EQ(status.to_string(), "Ok");
}

TEST(Status, error_keepsEveryPart) {
  const Status status = peer_lost();
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(status.code(), ErrorCode::kPeerLost);
  EXPECT_EQ(status.culprit(), 2);
  EXPECT_EQ(status.to_string(), "PeerLost: rank 2 closed its connection [rank 0, lane 1, op 3/6]");
}

TEST(Status, copy_isIndependentOfItsSource) {
  Status source = peer_lost();
  const Status copy = source;
  source = Status();
  EXPECT_TRUE(source.ok());
  EXPECT_EQ(copy.culprit(), 2);
  source = copy;
  const Status& same = source;
  source = same;  // self-assignment keeps the error
  EXPECT_EQ(source.message(), copy.message());
}

TEST(Status, move_takesTheErrorAndLeavesOk) {
  Status source = peer_lost();
  Status target(ErrorCode::kTimeout, "another error");
  target = std::move(source);
  EXPECT_EQ(target.code(), ErrorCode::kPeerLost);
  EXPECT_TRUE(source.ok());  // NOLINT(bugprone-use-after-move): the moved-from state is promised
  EXPECT_EQ(source.message(), "");
}

TEST(Status, withCulpritAndAt_fillOnlyWhatIsMissing) {
  const Status filled =
      Status(ErrorCode::kTimeout, "waited").with_culprit(3).at("rank 1").with_culprit(4).at("x");
  EXPECT_EQ(filled.culprit(), 3);
  EXPECT_EQ(filled.where(), "rank 1");
  EXPECT_TRUE(Status().with_culprit(3).at("rank 1").ok());
}

TEST(Status, systemError_carriesTheTextOfErrno) {
  const Status status = system_error("opening the door", ENOENT);
  EXPECT_EQ(status.code(), ErrorCode::kSystem);
  EXPECT_EQ(status.message(), "opening the door: No such file or directory");
}

TEST(Status, throwIfError_throwsCodeTextCulpritAndPlace) {
  EXPECT_NO_THROW(throw_if_error({}));
  try {
    throw_if_error(peer_lost());
    FAIL() << "an error must be thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kPeerLost);
    EXPECT_EQ(error.culprit(), 2);
    EXPECT_EQ(error.where(), "rank 0, lane 1, op 3/6");
    EXPECT_EQ(error.message(), "rank 2 closed its connection");
    EXPECT_STREQ(error.what(), "PeerLost: rank 2 closed its connection [rank 0, lane 1, op 3/6]");
  }
}

TEST(Status, everyCode_hasAName) {
  for (int code = 0; code <= static_cast<int>(ErrorCode::kInternal); ++code) {
    EXPECT_STRNE(to_string(static_cast<ErrorCode>(code)), "Unknown") << code;
  }
}

Status fail_if(bool failing) { return failing ? peer_lost() : Status(); }

Status try_both(bool first, bool second, int& steps) {
  RONDO_TRY(fail_if(first));
  ++steps;
  RONDO_TRY(fail_if(second));
  ++steps;
  return {};
}

TEST(RondoTry, error_returnsAtOnce) {
  int steps = 0;
  EXPECT_EQ(try_both(true, false, steps).culprit(), 2);
  EXPECT_EQ(steps, 0);
  EXPECT_EQ(try_both(false, true, steps).culprit(), 2);
  EXPECT_EQ(steps, 1);
  EXPECT_TRUE(try_both(false, false, steps).ok());
  EXPECT_EQ(steps, 3);
}

Result<std::unique_ptr<int>> make_number(int value) {
  if (value < 0) return Status(ErrorCode::kInvalidArgument, "negative");
  return std::make_unique<int>(value);
}

Result<int> add(int a, int b) {
  RONDO_ASSIGN(const std::unique_ptr<int> first, make_number(a));
  RONDO_ASSIGN(std::unique_ptr<int> second, make_number(b));
  RONDO_ASSIGN(second, make_number(*first + *second));  // an existing variable does as well
  return *second;
}

TEST(RondoAssign, moveOnlyValue_isMovedOutOrTheErrorReturned) {
  EXPECT_EQ(add(2, 3).value(), 5);
  EXPECT_EQ(add(-1, 3).status().message(), "negative");
  EXPECT_EQ(add(1, -3).status().code(), ErrorCode::kInvalidArgument);
}

TEST(Result, movedStatus_stillIsNoValue) {
  Result<int> result = Status(ErrorCode::kTimeout, "late");
  const Status taken = std::move(result).status();
  EXPECT_EQ(taken.message(), "late");
  EXPECT_FALSE(result.ok());  // NOLINT(bugprone-use-after-move)
}

TEST(Result, madeOfAnOkStatus_isAnInternalError) {
  const Result<int> result = Status();
  EXPECT_FALSE(result.ok());
  EXPECT_EQ(result.status().code(), ErrorCode::kInternal);
}

TEST(Result, valueOrThrow_givesTheValueOrThrows) {
  EXPECT_EQ(*value_or_throw(make_number(7)), 7);
  EXPECT_THROW(value_or_throw(make_number(-7)), Error);
  try {
    value_or_throw(make_number(-7));
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("negative"));
  }
}

}  // namespace
}  // namespace rondo
