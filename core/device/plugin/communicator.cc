#include "core/device/plugin/communicator.h"

#include <cstring>

#include "core/device/plugin/stream.h"

namespace rondo::device {
namespace {

/// Work of a plug-in's library goes into streams of its own devices alone.
rondo_plugin_stream native(detail::StreamImpl& stream) {
  return static_cast<PluginStream&>(stream).native_stream();
}

}  // namespace

Result<std::unique_ptr<LibraryCommunicator>> PluginCommunicator::join(
    const PluginDriver& driver, const rondo_collective_table& table, const Who& who,
    const LibraryId& id) {
  auto made = std::make_unique<PluginCommunicator>(driver, table, who.device);
  rondo_plugin_id native_id{};
  std::memcpy(native_id.bytes, id.bytes.data(), sizeof(native_id.bytes));
  const int code = table.join(who.device, &native_id, who.rank, who.world, &made->communicator_);
  RONDO_TRY(driver.called(who.device, "join", code));
  return std::unique_ptr<LibraryCommunicator>(std::move(made));
}

PluginCommunicator::~PluginCommunicator() {
  if (communicator_ != nullptr) table_.leave(communicator_);
}

void PluginCommunicator::give_up() {
  if (communicator_ == nullptr || given_up_) return;
  given_up_ = true;
  table_.abort(communicator_);
}

Result<bool> PluginCommunicator::ready() {
  if (given_up_) return Status(ErrorCode::kDevice, "the plug-in's communicator has been given up");
  if (table_.ready == nullptr) return true;
  int done = 0;
  RONDO_TRY(driver_.called(device_, "ready", table_.ready(communicator_, &done)));
  return done != 0;
}

Status PluginCommunicator::all_reduce(const LibraryBuffers& buffers, ReduceOp op,
                                      detail::StreamImpl& stream) {
  return driver_.called(
      device_, "all_reduce",
      table_.all_reduce(communicator_, native(stream), buffers.input, buffers.output, buffers.count,
                        to_string(buffers.type), to_string(op)));
}

Status PluginCommunicator::reduce(const LibraryBuffers& buffers, ReduceOp op, int root,
                                  detail::StreamImpl& stream) {
  return driver_.called(device_, "reduce",
                        table_.reduce(communicator_, native(stream), buffers.input, buffers.output,
                                      buffers.count, to_string(buffers.type), to_string(op), root));
}

Status PluginCommunicator::broadcast(const LibraryBuffers& buffers, int root,
                                     detail::StreamImpl& stream) {
  return driver_.called(
      device_, "broadcast",
      table_.broadcast(communicator_, native(stream), buffers.input, buffers.output, buffers.count,
                       to_string(buffers.type), root));
}

Status PluginCommunicator::all_gather(const LibraryBuffers& buffers, detail::StreamImpl& stream) {
  return driver_.called(device_, "all_gather",
                        table_.all_gather(communicator_, native(stream), buffers.input,
                                          buffers.output, buffers.count, to_string(buffers.type)));
}

Status PluginCommunicator::reduce_scatter(const LibraryBuffers& buffers, ReduceOp op,
                                          detail::StreamImpl& stream) {
  return driver_.called(
      device_, "reduce_scatter",
      table_.reduce_scatter(communicator_, native(stream), buffers.input, buffers.output,
                            buffers.count, to_string(buffers.type), to_string(op)));
}

Status PluginCommunicator::send(const LibraryBuffers& buffers, int peer,
                                detail::StreamImpl& stream) {
  return driver_.called(device_, "send",
                        table_.send(communicator_, native(stream), buffers.input, buffers.count,
                                    to_string(buffers.type), peer));
}

Status PluginCommunicator::receive(const LibraryBuffers& buffers, int peer,
                                   detail::StreamImpl& stream) {
  return driver_.called(device_, "receive",
                        table_.receive(communicator_, native(stream), buffers.output, buffers.count,
                                       to_string(buffers.type), peer));
}

Status PluginCommunicator::begin_group() {
  return driver_.called(device_, "begin_group", table_.begin_group(communicator_));
}

Status PluginCommunicator::end_group() {
  return driver_.called(device_, "end_group", table_.end_group(communicator_));
}

}  // namespace rondo::device
