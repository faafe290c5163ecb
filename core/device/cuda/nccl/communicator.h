#pragma once

// One rank's part of a communicator of NCCL's, which never blocks its caller.

#include <memory>
#include <utility>

#include "core/device/collective_library.h"
#include "core/device/cuda/context.h"
#include "core/device/cuda/nccl/table.h"

namespace rondo::device {

/// NCCL's number of an op. Errors: Unsupported.
Result<ncclRedOp_t> nccl_op(ReduceOp op);

class NcclCommunicator final : public LibraryCommunicator {
 public:
  /// The table outlives it. Errors: Device.
  static Result<std::unique_ptr<LibraryCommunicator>> join(
      const NcclTable& table, std::shared_ptr<const CudaContext> context, const LibraryId& id,
      int rank, int world);
  NcclCommunicator(const NcclTable& table, std::shared_ptr<const CudaContext> context)
      : table_(table), context_(std::move(context)) {}
  NcclCommunicator(const NcclCommunicator&) = delete;
  NcclCommunicator& operator=(const NcclCommunicator&) = delete;
  ~NcclCommunicator() override;

  Result<bool> ready() override;
  Status all_reduce(const LibraryBuffers& buffers, ReduceOp op,
                    detail::StreamImpl& stream) override;
  Status reduce(const LibraryBuffers& buffers, ReduceOp op, int root,
                detail::StreamImpl& stream) override;
  Status broadcast(const LibraryBuffers& buffers, int root, detail::StreamImpl& stream) override;
  Status all_gather(const LibraryBuffers& buffers, detail::StreamImpl& stream) override;
  Status reduce_scatter(const LibraryBuffers& buffers, ReduceOp op,
                        detail::StreamImpl& stream) override;
  Status send(const LibraryBuffers& buffers, int peer, detail::StreamImpl& stream) override;
  Status receive(const LibraryBuffers& buffers, int peer, detail::StreamImpl& stream) override;
  Status begin_group() override;
  Status end_group() override;
  void give_up() override;

 private:
  /// Makes a call of NCCL's in the device's context.
  template <class Call>
  Status call(const char* function, const Call& make);
  Result<ncclResult_t> state() const;
  /// What isn't done within a second isn't waited for.
  bool finalize();

  const NcclTable& table_;
  std::shared_ptr<const CudaContext> context_;
  ncclComm_t communicator_ = nullptr;
};

}  // namespace rondo::device
