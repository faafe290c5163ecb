#include "tools/rondo/bench/names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/rondo/bench/bench_op.h"

namespace rondo::tool {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ParseTypes, OwnAndBorrowedNames_AreTheSameType) {
  EXPECT_THAT(parse_types("f32"), ElementsAre(DataType::kF32));
  EXPECT_THAT(parse_types("float"), ElementsAre(DataType::kF32));
  EXPECT_THAT(parse_types("uint64"), ElementsAre(DataType::kU64));
  EXPECT_THAT(parse_types("half"), ElementsAre(DataType::kF16));
  EXPECT_THAT(parse_types("bfloat16"), ElementsAre(DataType::kBF16));
  EXPECT_EQ(parse_types("all"), all_types());
}

TEST(NameInNcclTests, EveryType_HasOneThatIsUnderstood) {
  std::vector<std::string_view> names;
  for (const DataType type : all_types()) {
    names.push_back(name_in_nccl_tests(type));
    EXPECT_THAT(parse_types(names.back()), ElementsAre(type));
  }
  EXPECT_THAT(names, ElementsAre("int8", "uint8", "int32", "uint32", "int64", "uint64", "half",
                                 "bfloat16", "float", "double"));
}

TEST(ParseTypes, Unknown_ListsTheKnownOnes) {
  try {
    parse_types("f31");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(
        error.what(),
        "unknown type 'f31', allowed: i8, u8, i32, u32, i64, u64, f16, bf16, f32, f64, all");
  }
}

TEST(ParseOps, EveryNameAndAll_AreKnown) {
  for (const BenchOp& op : all_bench_ops()) EXPECT_THAT(parse_ops(to_string(op)), ElementsAre(op));
  EXPECT_EQ(parse_ops("all"), all_bench_ops());
  EXPECT_THAT(parse_ops("mulsum"), ElementsAre(BenchOp::mulsum())) << "as nccl-tests calls it";
  EXPECT_THAT(parse_ops("premultiplied_sum"), ElementsAre(BenchOp::mulsum()));
}

TEST(ParseOps, Unknown_ListsTheKnownOnes) {
  try {
    parse_ops("xor");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("allowed: sum, prod, min, max, avg, band, bor, bxor, mulsum, "
                          "all"));
  }
}

TEST(OneOf, Known_ComesBack) { EXPECT_EQ(one_of("transport", "shm", all_transports()), "shm"); }

}  // namespace
}  // namespace rondo::tool
