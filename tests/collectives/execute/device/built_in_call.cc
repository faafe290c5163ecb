#include "tests/collectives/execute/device/built_in_call.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <utility>

#include "collectives/execute/host/plan_runner.h"
#include "collectives/kernels/reduce.h"
#include "collectives/schedule/fuse.h"
#include "core/dtype.h"
#include "tests/collectives/communicator/values.h"
#include "tests/collectives/execute/connected_rank.h"
#include "tests/collectives/execute/device/connected_ranks.h"

namespace rondo::execute {
namespace {

using schedule::RowRange;

/// A place of this process, whose memory is the host's.
class HostRank : public ConnectedRank {
 public:
  using ConnectedRank::ConnectedRank;

  Status run(const BuiltInCall& call, Floats& output) {
    std::vector<std::byte> input = call.stored(call.input(rank_));
    std::vector<std::byte> result(output.size() * call.element_bytes());
    PlanInputs inputs = call.inputs(rank_);
    inputs.endpoint_of = [this](int peer) { return transport_->endpoint(peer); };
    RONDO_ASSIGN(const auto plan, Plan::make(std::move(inputs)));
    const Operands operands{.input = input.data(), .output = result.data()};
    Status status = PlanRunner(*plan).run({1, 1, {.collective = 1}}, operands,
                                          {rank_, waiter_.get(), {}, 20'000});
    output = call.loaded(result);
    return status;
  }
};

schedule::ChunkTable table_of(const algorithms::Algorithm& algorithm,
                              const schedule::Request& request) {
  if (algorithm.counts == nullptr)
    return schedule::ChunkTable::equal(BuiltInCall::kCount, request.rows);
  return schedule::ChunkTable::of_counts(algorithm.counts(request, BuiltInCall::kCount)).value();
}

}  // namespace

BuiltInCall::BuiltInCall(const algorithms::Algorithm& algorithm, schedule::SharedLayout layout,
                         schedule::Rank root, std::size_t segment_bytes, DataType type)
    : algorithm_(algorithm),
      layout_(std::move(layout)),
      root_(root),
      segment_bytes_(segment_bytes),
      type_(type),
      table_(table_of(algorithm, request(0))),
      world_(std::make_shared<const schedule::FoldedWorld>(
          schedule::fuse_folded([this](int rank) { return algorithm_.build(request(rank)); }))) {}

std::string BuiltInCall::text() const {
  return fmt::format("{} {} of {}, {} ranks on {} hosts, root {}",
                     schedule::to_string(algorithm_.collective), algorithm_.name, to_string(type_),
                     world(), layout_->hosts(), root_);
}

schedule::Request BuiltInCall::request(int rank) const {
  schedule::Request request{.collective = algorithm_.collective,
                            .world = world(),
                            .rank = rank,
                            .root = root_,
                            .layout = layout_};
  request.rows = algorithm_.rows(request, kCount);
  return request;
}

PlanInputs BuiltInCall::inputs(int rank) const {
  PlanInputs inputs;
  inputs.schedule = unfold(*world_, rank);
  inputs.table = table_;
  inputs.element_bytes = element_bytes();
  if (schedule::reduces(algorithm_.collective)) {
    inputs.kernel = kernels::find_reduce_kernel(DeviceKind::kHost, type_, ReduceOp::kSum).value();
  }
  inputs.segment_bytes = segment_bytes_;
  inputs.scratch_rows_of = [world = world_](int peer) { return scratch_rows(*world, peer); };
  inputs.allocate_scratch = [](std::size_t bytes) {
    return Result<std::shared_ptr<std::byte[]>>(std::shared_ptr<std::byte[]>(new std::byte[bytes]));
  };
  return inputs;
}

BuiltInCall::Part BuiltInCall::input_part(int rank) const {
  const RowRange rows = input_rows(request(rank));
  return {rows.count == 0 ? 0 : table_.offset(rows.begin), table_.count(rows)};
}

BuiltInCall::Part BuiltInCall::output_part(int rank) const {
  const RowRange rows = output_rows(request(rank));
  return {rows.count == 0 ? 0 : table_.offset(rows.begin), table_.count(rows)};
}

/// Of all_to_all what a rank sends and what it gets lie in another order.
bool BuiltInCall::works_in_place() const {
  return algorithm_.collective != schedule::Collective::kAllToAll;
}

Floats BuiltInCall::input(int rank) const {
  const Part part = input_part(rank);
  Floats list(part.count);
  for (std::size_t i = 0; i < list.size(); ++i) list[i] = value(rank, part.first + i);
  return list;
}

float BuiltInCall::value(int rank, std::size_t index) const {
  const auto value = testing::value<float>(rank, index, ReduceOp::kSum);
  return loaded(stored({value})).front();
}

std::vector<std::byte> BuiltInCall::stored(const Floats& values) const {
  std::vector<std::byte> elements(values.size() * element_bytes());
  std::byte* at = elements.data();
  for (const float value : values) {
    const auto integer = static_cast<std::int32_t>(value);
    const std::uint16_t half = bf16_from_f32(value);
    const void* const element = type_ == DataType::kF32   ? static_cast<const void*>(&value)
                                : type_ == DataType::kI32 ? static_cast<const void*>(&integer)
                                                          : &half;
    std::memcpy(at, element, element_bytes());
    at += element_bytes();
  }
  return elements;
}

Floats BuiltInCall::loaded(std::span<const std::byte> elements) const {
  Floats values(elements.size() / element_bytes());
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::int32_t integer = 0;
    std::uint16_t half = 0;
    void* const element = type_ == DataType::kF32   ? static_cast<void*>(&values[i])
                          : type_ == DataType::kI32 ? static_cast<void*>(&integer)
                                                    : &half;
    std::memcpy(element, elements.data() + i * element_bytes(), element_bytes());
    if (type_ == DataType::kI32) values[i] = static_cast<float>(integer);
    if (type_ == DataType::kBF16) values[i] = f32_from_bf16(half);
  }
  return values;
}

std::vector<Floats> BuiltInCall::on_host() const {
  auto ranks = connected<HostRank>(transport::TransportKind::kInproc, world());
  std::vector<Floats> outputs(ranks.size());
  each<HostRank>(ranks, [&](HostRank& rank, std::size_t i) {
    const int number = static_cast<int>(i);
    outputs[i].resize(output_part(number).count);
    const Status status = rank.run(*this, outputs[i]);
    EXPECT_TRUE(status.ok()) << text() << ": " << status.to_string();
  });
  for (int rank = 0; rank < world(); ++rank) check(rank, outputs[static_cast<std::size_t>(rank)]);
  if (algorithm_.collective == schedule::Collective::kAllReduce) {
    for (const Floats& output : outputs)
      EXPECT_TRUE(output == outputs.front()) << text() << ": ranks end with other bits";
  }
  return outputs;
}

/// The rank whose input has that row; of a collective that moves there is one.
schedule::Rank BuiltInCall::source_of(std::uint32_t row) const {
  schedule::Rank rank = 0;
  while (!input_rows(request(rank)).contains(row)) ++rank;
  return rank;
}

std::pair<double, double> BuiltInCall::sum(std::size_t index) const {
  double sum = 0;
  double magnitude = 0;
  for (int rank = 0; rank < world(); ++rank) {
    sum += value(rank, index);
    magnitude += std::abs(value(rank, index));
  }
  if (type_ == DataType::kBF16) return {sum, magnitude * world() * 0x1p-8};
  if (type_ == DataType::kI32) return {sum, 0};
  return {sum, testing::expected<float>(world(), index, ReduceOp::kSum).tolerance};
}

void BuiltInCall::check(int rank, const Floats& output) const {
  const RowRange rows = output_rows(request(rank));
  std::size_t next = 0;
  for (std::uint32_t i = 0; i < rows.count; ++i) {
    const std::uint32_t row = rows.row(i);
    const std::size_t first = table_.offset(row);
    const bool reduces = schedule::reduces(algorithm_.collective);
    const schedule::Rank source = reduces ? 0 : source_of(row);
    for (std::size_t k = first; k < first + table_.count(row); ++k, ++next) {
      const auto [want, tolerance] =
          reduces ? sum(k) : std::pair<double, double>(value(source, k), 0);
      ASSERT_LE(std::abs(static_cast<double>(output[next]) - want), tolerance)
          << text() << ": rank " << rank << ", element " << k;
    }
  }
}

}  // namespace rondo::execute
