// Loading plug-ins: what is wrong with one is said, with its file; and a device without streams.

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/device/driver.h"
#include "core/device/plugin/registry.h"
#include "core/device/plugin/stream.h"

namespace rondo::device {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string odd_plugin(const char* which) { return std::string(ODD_PLUGINS) + "/" + which + ".so"; }

struct Odd {
  const char* file;
  const char* said;
};

class OddPlugin : public ::testing::TestWithParam<Odd> {};

TEST_P(OddPlugin, IsRefusedWithItsFileAndWhatIsWrong) {
  const std::string path = odd_plugin(GetParam().file);
  const std::size_t kinds = device_kinds().size();
  const Status status = load_plugin(path.c_str());
  EXPECT_EQ(status.code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(status.message(),
              AllOf(HasSubstr("RONDO_DEVICE_PLUGINS=" + path), HasSubstr(GetParam().said)));
  EXPECT_EQ(device_kinds().size(), kinds) << "nothing of it stays";
}

INSTANTIATE_TEST_SUITE_P(
    Each, OddPlugin,
    ::testing::Values(Odd{"OTHER_VERSION", "made for version 99.2 of rondo/device_plugin.h"},
                      Odd{"SMALL_TABLE", "its table has 24 bytes"},
                      Odd{"NO_COPY", "copy is missing"},
                      Odd{"HALF_THE_STREAMS", "destroy_stream, synchronize_stream, create_event"},
                      Odd{"NO_DEVICE", "it added no device"},
                      Odd{"BAD_NAME", "its kind is \"9 lives\""},
                      Odd{"KERNEL_OF_NOBODY", "of kind nobody, which hasn't been added"},
                      Odd{"KERNEL_OF_NO_TYPE", "\"float32\" is no data type: allowed are i8, u8"},
                      Odd{"KERNEL_OF_NO_OP", "\"add\" is no reduce op: allowed are sum, prod"},
                      Odd{"KIND_OF_RONDO", "there are devices of kind emulated already"},
                      Odd{"HALF_THE_RANGES", "end_range is missing"},
                      Odd{"HALF_THE_HOST_MEMORY", "deallocate_host is missing"},
                      Odd{"FAILS_TO_INITIALIZE",
                          "initialize of the odder plug-in failed (9): the "
                          "odd device is out of order"},
                      Odd{"COLLECTIVES_OF_NOBODY", "of kind nobody, which hasn't been added"},
                      Odd{"COLLECTIVES_WITHOUT_JOIN", "join is missing"},
                      Odd{"COLLECTIVES_WITHOUT_VERSION", "has no version"},
                      Odd{"MESSAGES_WITHOUT_GROUPS", "begin_group is missing"},
                      Odd{"HALF_THE_MESSAGES", "both or neither"},
                      Odd{"SMALL_COLLECTIVES", "table of collectives has 16 bytes"},
                      Odd{"FAILS", "rondo_device_plugin failed (5)"}),
    [](const auto& parameter) { return std::string(parameter.param.file); });

TEST(LoadPlugin, FileThatIsNotThere_IsSaid) {
  const Status status = load_plugin("/nowhere/at_all.so");
  EXPECT_EQ(status.code(), ErrorCode::kSystem);
  EXPECT_THAT(status.message(), HasSubstr("/nowhere/at_all.so"));
}

TEST(LoadPlugin, LibraryThatIsNoPlugin_IsSaid) {
  EXPECT_THAT(load_plugin("libm.so.6").message(), HasSubstr("doesn't export rondo_device_plugin"));
}

/// What the functions of the loaded plug-in say of their turns.
std::string turns_of(const std::string& path) {
  void* const object = ::dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD);
  if (object == nullptr) return "it isn't loaded";
  const auto turns = reinterpret_cast<const char* (*)()>(::dlsym(object, "odd_turns"));
  std::string said = turns == nullptr ? "it has no turns" : turns();
  ::dlclose(object);
  return said;
}

TEST(LoadPlugin, WhoseLastKindFailsToInitialize_FinalizesThoseBefore_LastFirst_AndHasNone) {
  const std::string path = odd_plugin("LAST_FAILS_TO_INITIALIZE");
  EXPECT_THAT(load_plugin(path.c_str()).message(),
              HasSubstr("initialize of the third plug-in failed (9)"));
  EXPECT_EQ(turns_of(path), "+first +second +third -second -first ");
  for (const char* const kind : {"first", "second", "third"})
    EXPECT_EQ(plugin_driver(kind), nullptr) << kind;
}

// The one plug-in that does nothing wrong; it has no streams. Loaded by the first test of these.
class FinePlugin : public ::testing::Test {
 protected:
  void SetUp() override {
    driver_ = plugin_driver("odd");
    if (driver_ != nullptr) return;
    const Status status = load_plugin(odd_plugin("FINE").c_str());
    ASSERT_TRUE(status.ok()) << status.to_string();
    driver_ = plugin_driver("odd");
  }
  PluginDriver* driver_ = nullptr;
};

TEST_F(FinePlugin, ItsKindIsKnownByNameAndNumber) {
  const auto kind = find_device_kind("odd");
  ASSERT_TRUE(kind.has_value());
  EXPECT_STREQ(to_string(*kind), "odd");
  EXPECT_EQ(driver_of(*kind).value(), driver_);
  EXPECT_EQ(device_count(*kind), 1);
  EXPECT_FALSE(find_device_kind("even").has_value());
  EXPECT_THAT(driver_of(Device{*kind, 1}).status().message(), HasSubstr("no device odd:1"));
}

TEST_F(FinePlugin, ItsLibrary_SaysWhatItHas_AndWhatFailed) {
  CollectiveLibrary* const library = driver_->collective_library().value();
  ASSERT_NE(library, nullptr);
  EXPECT_EQ(library->version(), "odd 1");
  EXPECT_FALSE(library->has(LibraryFunction::kAllReduce));
  EXPECT_FALSE(library->has(LibraryFunction::kGroups));
  EXPECT_THAT(
      library->make_id().status().message(),
      StartsWith("make_id of the odd plug-in failed (3): the odd device is out of order: "));
  EXPECT_THAT(library->join(0, {}, 0, 1).status().message(),
              HasSubstr("join of the plug-in of odd:0 failed (4)"));
}

TEST(LoadPlugin, OfAnOlderVersion_HasWhatThatHad) {
  ASSERT_TRUE(load_plugin(odd_plugin("OLD").c_str()).ok());
  PluginDriver* const driver = plugin_driver("old");
  ASSERT_NE(driver, nullptr);
  EXPECT_EQ(driver->begin_range("call"), 0U) << "it was read behind the table's end";
  EXPECT_EQ(driver->collective_library().value(), nullptr);
}

/// Whatever the index: the plug-in itself isn't asked.
TEST(LoadPlugin, WithoutADevice_HasNoneOfAnyIndex) {
  ASSERT_TRUE(load_plugin(odd_plugin("WITHOUT_DEVICES").c_str()).ok());
  const DeviceKind kind = find_device_kind("none").value();
  EXPECT_EQ(device_count(kind), 0);
  for (const int index : {0, 7, -3}) {
    const Status refused = driver_of(Device{kind, index}).status();
    EXPECT_EQ(refused.code(), ErrorCode::kUnsupported) << index;
    EXPECT_THAT(refused.message(),
                HasSubstr("no device none:" + std::to_string(index) + ": its plug-in finds none"));
  }
}

TEST(LoadPlugin, ThatCountsFewerThanNoDevices_IsToldSo) {
  ASSERT_TRUE(load_plugin(odd_plugin("FEWER_THAN_NO_DEVICES").c_str()).ok());
  const DeviceKind kind = find_device_kind("fewer").value();
  for (const Status& refused :
       {driver_of(kind).value()->device_count().status(), driver_of(Device{kind, 0}).status()}) {
    EXPECT_EQ(refused.code(), ErrorCode::kDevice);
    EXPECT_THAT(refused.message(), HasSubstr("device_count of the fewer plug-in says that there "
                                             "are -3 devices"));
  }
}

TEST_F(FinePlugin, KindThatNobodyHas_IsAnError) {
  const auto kind = static_cast<DeviceKind>(200);
  EXPECT_STREQ(to_string(kind), "unknown");
  EXPECT_EQ(driver_of(kind).status().code(), ErrorCode::kInvalidArgument);
}

TEST_F(FinePlugin, LoadedAgain_IsRefused) {
  EXPECT_THAT(load_plugin(odd_plugin("FINE").c_str()).message(), HasSubstr("kind odd already"));
}

TEST_F(FinePlugin, Failure_HasTheFunctionItsDeviceItsReasonAndARemedy) {
  const Status status = driver_->allocate(0, 2'000'000).status();
  EXPECT_EQ(status.code(), ErrorCode::kDevice);
  EXPECT_EQ(status.message(),
            "2000000 bytes: allocate of the plug-in of odd:0 failed (7): the odd device is out of "
            "order: free some of its memory, use smaller buffers, or look who else is using it");
}

TEST_F(FinePlugin, WithoutStreams_WorkIsDoneAtOnceAndTheFirstFailureStays) {
  const auto stream = driver_->create_stream(0).value();
  auto* const memory = static_cast<char*>(driver_->allocate(0, 64).value());
  const std::string text = "twelve chars and more";
  ASSERT_TRUE(stream->copy(memory, text.data(), 12).ok());
  EXPECT_EQ(std::string(memory, 12), "twelve chars");
  const auto event = driver_->create_event(0).value();
  ASSERT_TRUE(stream->record(*event).ok());
  EXPECT_TRUE(event->done());
  ASSERT_TRUE(stream->copy(memory, text.data(), 13).ok()) << "told by synchronize, as elsewhere";
  ASSERT_TRUE(stream->copy(memory, "skipped", 7).ok());
  EXPECT_THAT(stream->synchronize().message(),
              AllOf(HasSubstr("copy of the plug-in of odd:0 failed (13)"),
                    HasSubstr("RONDO_DEVICE_PATH=host")));
  EXPECT_EQ(std::string(memory, 12), "twelve chars");
  driver_->free(memory);
}

TEST_F(FinePlugin, KernelsAreFoundByTypeAndOp) {
  EXPECT_NE(driver_->reduce_kernel("f32", "sum"), nullptr);
  EXPECT_EQ(driver_->reduce_kernel("f32", "max"), nullptr);
  EXPECT_EQ(driver_->reduce_kernel("f64", "sum"), nullptr);
}

TEST_F(FinePlugin, MemoryForOtherProcesses_ItHasNone) {
  EXPECT_FALSE(driver_->shares_between_processes());
  EXPECT_EQ(driver_->import_memory(0, {}).status().code(), ErrorCode::kUnsupported);
  const auto event = driver_->create_event(0).value();
  EXPECT_EQ(driver_->export_event(*event).status().code(), ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace rondo::device
