#pragma once

// One rank's part of a communicator of a plug-in's library.

#include <memory>

#include "core/device/collective_library.h"
#include "core/device/plugin/driver.h"
#include "rondo/device_plugin.h"

namespace rondo::device {

class PluginCommunicator final : public LibraryCommunicator {
 public:
  struct Who {
    int device = 0;
    int rank = 0;
    int world = 1;
  };
  /// Driver and table are borrowed. Errors: Device.
  static Result<std::unique_ptr<LibraryCommunicator>> join(const PluginDriver& driver,
                                                           const rondo_collective_table& table,
                                                           const Who& who, const LibraryId& id);
  PluginCommunicator(const PluginDriver& driver, const rondo_collective_table& table, int device)
      : driver_(driver), table_(table), device_(device) {}
  PluginCommunicator(const PluginCommunicator&) = delete;
  PluginCommunicator& operator=(const PluginCommunicator&) = delete;
  ~PluginCommunicator() override;

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
  const PluginDriver& driver_;
  const rondo_collective_table& table_;
  int device_;
  rondo_plugin_communicator communicator_ = nullptr;
  bool given_up_ = false;
};

}  // namespace rondo::device
