#include "nn/executor/kernel_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rondo/error.h"

namespace rondo::nn {
namespace {

// Reports by its status which of two kernels was chosen.
Status fast(const KernelSetup&, const KernelArgs&) { return Status(ErrorCode::kOk, "fast"); }
Status plain(const KernelSetup&, const KernelArgs&) { return Status(ErrorCode::kOk, "plain"); }

class KernelChoice : public testing::Test {
 protected:
  KernelChoice() {
    add_reference(registry_, "both", plain, plain);
    add_reference(registry_, "plain_only", plain, plain);
    registry_.add("both", DataType::kF32, KernelSource::kOneDnn, fast);
  }
  std::string choose(const std::string& op, KernelLibrary library, DataType dtype,
                     DeviceKind device = DeviceKind::kHost) {
    op_.type = op;
    const auto kernel = choose_kernel(registry_, library, device, dtype, {&op_, 0, &counters_});
    return kernel.ok() ? kernel.value()->run({}).message() : kernel.status().message();
  }

  KernelRegistry registry_;
  Op op_;
  KernelCounters counters_;
};

TEST_F(KernelChoice, AutoTakesTheFastestThatHasTheType) {
  EXPECT_EQ(choose("both", KernelLibrary::kAuto, DataType::kF32), "fast");
  EXPECT_EQ(choose("both", KernelLibrary::kAuto, DataType::kF64), "plain");
}

TEST_F(KernelChoice, ReferenceIsAlwaysPlain) {
  EXPECT_EQ(choose("both", KernelLibrary::kReference, DataType::kF32), "plain");
}

TEST_F(KernelChoice, OneDnnRefusesTypesItDoesNotHave) {
  EXPECT_EQ(choose("both", KernelLibrary::kOneDnn, DataType::kF32), "fast");
  EXPECT_EQ(choose("plain_only", KernelLibrary::kOneDnn, DataType::kF64), "plain");
  EXPECT_THAT(choose("both", KernelLibrary::kOneDnn, DataType::kF64),
              testing::HasSubstr("no kernel for f64 on device host in oneDNN"));
}

TEST_F(KernelChoice, MissingKernelIsNamed) {
  EXPECT_THAT(choose("both", KernelLibrary::kAuto, DataType::kI32),
              testing::HasSubstr("op both has no kernel for i32"));
  EXPECT_THAT(choose("both", KernelLibrary::kAuto, DataType::kF32, DeviceKind::kCuda),
              testing::HasSubstr("on device cuda"));
}

TEST(KernelLibraryFrom, UnknownNameIsRefused) {
  EXPECT_EQ(kernel_library_from("onednn"), KernelLibrary::kOneDnn);
  EXPECT_THROW(kernel_library_from("mkl"), Error);
}

}  // namespace
}  // namespace rondo::nn
