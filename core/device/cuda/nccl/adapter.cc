#include "core/device/cuda/nccl/adapter.h"

#include <cstring>
#include <utility>

#include "core/device/cuda/nccl/communicator.h"
#include "core/device/cuda/nccl/library.h"
#include "core/device/cuda/nccl/status.h"
#include "core/dtype.h"

namespace rondo::device {
namespace {

class Nccl final : public CollectiveLibrary {
 public:
  Nccl(CudaDriver& driver, const NcclTable& table, int version)
      : driver_(driver), table_(table), version_(version) {}

  std::string_view name() const override { return "nccl"; }
  std::string version() const override { return "nccl " + nccl_version_text(version_); }
  bool needs_own_device() const override { return true; }
  bool has(LibraryFunction /*function*/) const override { return true; }
  bool reduces(DataType type, ReduceOp op) const override;
  Result<LibraryId> make_id() override;
  Result<std::unique_ptr<LibraryCommunicator>> join(int device, const LibraryId& id, int rank,
                                                    int world) override;

 private:
  CudaDriver& driver_;
  const NcclTable table_;
  int version_;
};

/// Averages of integers are rounded towards zero by Rondo; NCCL says nothing of it. Of floats its
/// least and largest are fminf's and fmaxf's (its src/device/reduce_kernel.h), which pass over a
/// NaN; Rondo's keep it.
bool Nccl::reduces(DataType type, ReduceOp op) const {
  if (is_bitwise(op)) return false;
  if (op == ReduceOp::kAvg) return !is_integer(type);
  if (op == ReduceOp::kMin || op == ReduceOp::kMax) return is_integer(type);
  return true;
}

Result<LibraryId> Nccl::make_id() {
  ncclUniqueId native{};
  RONDO_TRY(nccl_status(table_, nullptr, "ncclGetUniqueId", table_.ncclGetUniqueId(&native)));
  LibraryId id;
  std::memcpy(id.bytes.data(), native.internal, id.bytes.size());
  return id;
}

Result<std::unique_ptr<LibraryCommunicator>> Nccl::join(int device, const LibraryId& id, int rank,
                                                        int world) {
  RONDO_ASSIGN(auto context, driver_.context(device));
  return NcclCommunicator::join(table_, std::move(context), id, rank, world);
}

}  // namespace

Result<std::unique_ptr<CollectiveLibrary>> adapt_nccl(CudaDriver& driver, const NcclTable& table) {
  RONDO_ASSIGN(const int version, nccl_version(table));
  return std::unique_ptr<CollectiveLibrary>(std::make_unique<Nccl>(driver, table, version));
}

}  // namespace rondo::device
