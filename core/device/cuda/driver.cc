#include "core/device/cuda/driver.h"

#include <fmt/format.h>

#include <chrono>
#include <cstring>
#include <utility>

#include "core/device/cuda/event.h"
#include "core/device/cuda/nccl/nccl.h"
#include "core/device/cuda/pointer.h"
#include "core/device/cuda/status.h"
#include "core/device/cuda/stream.h"
#include "core/device/cuda/words.h"

namespace rondo::device {
namespace {

/// So long whoever finds no memory waits for what is put off while calls are under way.
constexpr std::chrono::milliseconds kCallsEnd{1000};

/// What another process can't be given; the driver says little about why.
Status not_exported(Status status, const std::string& what) {
  if (status.ok()) return status;
  return Status(status.code(), fmt::format("{} can't be given to other processes: {}; "
                                           "RONDO_DEVICE_PATH=host does without",
                                           what, status.message()));
}

/// What an address is instead of memory of the device that it was given for.
std::string description_of(const CudaPointer& found) {
  if (!found.known) return "memory that CUDA doesn't know: of the host, or freed";
  if (!found.on_device) return "page-locked memory of the host";
  return "memory of " + name_of({DeviceKind::kCuda, found.index});
}

}  // namespace

Result<std::unique_ptr<CudaDriver>> CudaDriver::make(const CudaTable& table) {
  std::unique_ptr<CudaDriver> made(new CudaDriver(table));
  const CUresult started = table.cuInit(0);
  int count = 0;
  if (started != CUDA_ERROR_NO_DEVICE) {
    RONDO_TRY(cuda_status(table, "cuInit", started));
    RONDO_TRY(cuda_status(table, "cuDeviceGetCount", table.cuDeviceGetCount(&count)));
  }
  for (int i = 0; i < count; ++i) made->devices_.push_back(std::make_unique<PerDevice>());
  return made;
}

Result<CudaDriver::PerDevice*> CudaDriver::device(int index) {
  if (index >= 0 && static_cast<std::size_t>(index) < devices_.size())
    return devices_[static_cast<std::size_t>(index)].get();
  return Status(ErrorCode::kInvalidArgument,
                fmt::format("there is no device cuda:{}: the driver shows {} (CUDA_VISIBLE_DEVICES "
                            "chooses among those of the machine)",
                            index, devices_.size()));
}

Result<std::shared_ptr<CudaContext>> CudaDriver::context(int index) {
  RONDO_ASSIGN(PerDevice * own, device(index));
  const std::lock_guard lock(own->mutex);
  if (own->context == nullptr) {
    RONDO_ASSIGN(auto made, CudaContext::retain(table_, given_back_, index));
    made->let_make_room([this] { return make_room(); });
    own->context = std::move(made);
  }
  return own->context;
}

Result<std::string> CudaDriver::identity(int index) {
  RONDO_ASSIGN(const auto own, context(index));
  return uuid_of(own->number(), index);
}

/// Without a context there, which takes hundreds of megabytes of a device that may be none of ours.
Result<std::vector<std::string>> CudaDriver::unreachable(int index) {
  RONDO_ASSIGN(const auto own, context(index));
  std::vector<std::string> devices;
  for (int other = 0; other < static_cast<int>(devices_.size()); ++other) {
    if (other == index) continue;
    CUdevice number = 0;
    int can = 0;
    RONDO_TRY(own->check("cuDeviceGet", table_.cuDeviceGet(&number, other)));
    RONDO_TRY(own->check("cuDeviceCanAccessPeer",
                         table_.cuDeviceCanAccessPeer(&can, own->number(), number)));
    if (can != 0) continue;
    RONDO_ASSIGN(std::string uuid, uuid_of(number, other));
    devices.push_back(std::move(uuid));
  }
  return devices;
}

Result<std::string> CudaDriver::uuid_of(CUdevice number, int index) const {
  CUuuid uuid{};
  RONDO_TRY(cuda_status(table_, {DeviceKind::kCuda, index}, "cuDeviceGetUuid",
                        table_.cuDeviceGetUuid(&uuid, number)));
  std::string text;
  for (const char byte : uuid.bytes)
    text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

Result<CollectiveLibrary*> CudaDriver::collective_library() {
  const std::lock_guard lock(library_mutex_);
  if (!library_.has_value()) library_.emplace(open_nccl(*this));
  RONDO_TRY(library_->status());
  return library_->value().get();
}

Status CudaDriver::reach(int index, const void* memory) {
  RONDO_ASSIGN(const CudaPointer found, look_up(table_, memory));
  if (!found.on_device || found.index == index) return {};
  RONDO_ASSIGN(const auto own, context(index));
  if (found.is_pooled || found.is_mapped) return check_granted(*own, memory);
  const std::lock_guard lock(reached_mutex_);
  if (reached_.contains({index, found.index})) return {};
  RONDO_ASSIGN(const auto other, context(found.index));
  RONDO_TRY(own->reach(*other));
  reached_.emplace(index, found.index);
  return {};
}

/// What one device may use of another's holds for memory of cudaMalloc alone: of other memory its
/// owner says who may.
Status CudaDriver::check_granted(const CudaContext& own, const void* memory) {
  RONDO_ASSIGN(const bool granted, may_use(own, memory));
  if (granted) return {};
  return Status(ErrorCode::kDevice,
                fmt::format("{} is another device's memory, from a pool or mapped, that {} may not "
                            "use: whoever allocated it says who may (cudaMemPoolSetAccess, "
                            "cuMemSetAccess); or take buffers from cudaMalloc or "
                            "rondo::DeviceMemory, or set RONDO_DEVICE_PATH=host",
                            memory, name_of(own.device())));
}

/// Of what is kept for peers, and what is put off while a call is under way. That may not be what
/// the driver was short of.
bool CudaDriver::make_room() {
  const bool was_kept = exports_.give_back(std::chrono::milliseconds(0));
  const bool was_put_off = given_back_.wait_for_put_off(kCallsEnd);
  return was_kept || was_put_off;
}

Result<void*> CudaDriver::allocate(int index, std::size_t bytes) {
  RONDO_ASSIGN(const auto own, context(index));
  if (bytes == 0) return nullptr;
  const CudaScope scope(*own);
  RONDO_TRY(scope.status());
  CUdeviceptr memory = 0;
  CUresult code = table_.cuMemAlloc(&memory, bytes);
  // What the program has freed may not have been given back yet.
  if (code == CUDA_ERROR_OUT_OF_MEMORY) {
    const bool was_kept = exports_.give_back(std::chrono::milliseconds(0));
    const bool was_put_off = own->wait_for_put_off(kCallsEnd);
    if (was_kept || was_put_off) code = table_.cuMemAlloc(&memory, bytes);
  }
  const Status made = own->check("cuMemAlloc", code);
  if (made.ok()) return reinterpret_cast<void*>(memory);
  return Status(made.code(), fmt::format("{} bytes: {}", bytes, made.message()));
}

void CudaDriver::free(void* pointer) {
  const Result<CudaPointer> found = look_up(table_, pointer);
  if (found.ok() && !found->on_device) return;
  const auto own = context(found.ok() ? found->index : 0);
  if (!own.ok()) return;
  const auto give_back = [own = *own, pointer, frees = frees_] {
    own->give_back([pointer, frees](const CudaTable& table) {
      table.cuMemFree(reinterpret_cast<CUdeviceptr>(pointer));
      frees->fetch_add(1, std::memory_order_release);
    });
  };
  if (!found.ok() || !exports_.put_off(found->base, found->allocation, give_back))
    return give_back();
  frees_->fetch_add(1, std::memory_order_release);  // peers are to be told
}

/// Others' allocators may keep it, or free it by the driver: then peers are to be told.
void CudaDriver::give_back(int index, std::function<void()> action) {
  const auto own = context(index);
  if (!own.ok()) return action();
  (*own)->give_back([action = std::move(action), frees = frees_](const CudaTable& /*table*/) {
    action();
    frees->fetch_add(1, std::memory_order_release);
  });
}

bool CudaDriver::lives(const SharedHandle& memory) {
  const auto found = look_up(table_, reinterpret_cast<const void*>(memory.base));
  if (!found.ok()) return true;  // who can't ask tells nobody that it is gone
  if (exports_.is_freed(memory.base, memory.allocation)) return false;
  return found->on_device && found->base == memory.base && found->allocation == memory.allocation;
}

Status CudaDriver::check_memory(int index, const void* pointer, std::size_t bytes) {
  RONDO_TRY(context(index).status());
  RONDO_ASSIGN(const CudaPointer found, look_up(table_, pointer));
  if (!found.on_device || found.index != index) {
    return Status(ErrorCode::kInvalidArgument,
                  fmt::format("{} was given as memory of cuda:{}, but is {}: name the place "
                              "that it lies in, in the buffer",
                              pointer, index, description_of(found)));
  }
  if (exports_.is_freed(found.base, found.allocation)) {
    return Status(
        ErrorCode::kInvalidArgument,
        fmt::format("{} was given as memory of cuda:{}, but has been freed", pointer, index));
  }
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  RONDO_ASSIGN(const std::uint64_t end, end_of(table_, found, address + bytes));
  if (bytes <= end - address) return {};
  return Status(ErrorCode::kInvalidArgument,
                fmt::format("the {} bytes at {} go past the end of an allocation of {} bytes of "
                            "cuda:{}",
                            bytes, pointer, end - found.base, index));
}

Result<SharedHandle> CudaDriver::export_memory(const void* pointer) {
  RONDO_ASSIGN(const CudaPointer found, look_up(table_, pointer));
  if (!found.on_device) {
    return Status(
        ErrorCode::kInvalidArgument,
        fmt::format("{} is not memory of a CUDA device, but {}", pointer, description_of(found)));
  }
  SharedHandle handle = new_handle({DeviceKind::kCuda, found.index}, SharedKind::kMemory);
  handle.base = found.base;
  handle.allocation = found.allocation;
  handle.offset_bytes = reinterpret_cast<std::uint64_t>(pointer) - found.base;
  handle.bytes = found.bytes - handle.offset_bytes;
  RONDO_ASSIGN(const auto own, context(found.index));
  if (!found.can_be_shared) {
    return Status(
        ErrorCode::kUnsupported,
        fmt::format("{} on cuda:{} is from a pool, managed, or mapped by pieces (cuMemMap, "
                    "PyTorch's expandable_segments): other processes can't open that; take it "
                    "from cuMemAlloc, cudaMalloc or rondo::DeviceMemory, or set "
                    "RONDO_DEVICE_PATH=host",
                    pointer, found.index));
  }
  const CudaScope scope(*own);
  RONDO_TRY(scope.status());
  CUipcMemHandle native{};
  RONDO_TRY(
      not_exported(own->check("cuIpcGetMemHandle", table_.cuIpcGetMemHandle(&native, found.base)),
                   fmt::format("the allocation of {} bytes at {:#x}", found.bytes, found.base)));
  std::memcpy(handle.opaque.data(), &native, sizeof(native));
  return handle;
}

Result<void*> CudaDriver::import_memory(int index, const SharedHandle& memory) {
  RONDO_ASSIGN(const auto own, context(index));
  RONDO_TRY(check_handle(memory, DeviceKind::kCuda, SharedKind::kMemory));
  return imports_.open(*own, memory);
}

bool CudaDriver::import_waits(int index, const SharedHandle& memory) {
  return imports_.waits(index, memory);
}

Result<std::shared_ptr<void>> CudaDriver::allocate_words(int index, std::size_t bytes) {
  RONDO_ASSIGN(const auto own, context(index));
  return device::allocate_words(own, bytes);
}

Result<std::shared_ptr<detail::StreamImpl>> CudaDriver::create_stream(int index) {
  RONDO_ASSIGN(auto own, context(index));
  RONDO_ASSIGN(auto made, CudaStream::make(std::move(own)));
  return std::shared_ptr<detail::StreamImpl>(std::move(made));
}

Result<std::shared_ptr<detail::StreamImpl>> CudaDriver::borrow_stream(int index, void* native) {
  RONDO_ASSIGN(auto own, context(index));
  return std::shared_ptr<detail::StreamImpl>(
      std::make_shared<CudaStream>(std::move(own), static_cast<CUstream>(native), true));
}

Result<std::shared_ptr<detail::EventImpl>> CudaDriver::create_event(int index) {
  RONDO_ASSIGN(auto own, context(index));
  RONDO_ASSIGN(auto made, CudaEvent::make(std::move(own), CudaEvent::Seen::kByThisProcess));
  return std::shared_ptr<detail::EventImpl>(std::move(made));
}

Result<std::shared_ptr<detail::EventImpl>> CudaDriver::create_shared_event(int index) {
  RONDO_ASSIGN(auto own, context(index));
  RONDO_ASSIGN(auto made, CudaEvent::make(std::move(own), CudaEvent::Seen::kByOthers));
  return std::shared_ptr<detail::EventImpl>(std::move(made));
}

Result<SharedHandle> CudaDriver::export_event(detail::EventImpl& event) {
  const auto* const own = dynamic_cast<CudaEvent*>(&event);
  if (own == nullptr) {
    return Status(ErrorCode::kInvalidArgument,
                  "only an event of a CUDA device of this process can be exported by it");
  }
  SharedHandle handle = new_handle(own->context().device(), SharedKind::kEvent);
  const CudaScope scope(own->context());
  RONDO_TRY(scope.status());
  CUipcEventHandle native{};
  RONDO_TRY(
      not_exported(own->context().check("cuIpcGetEventHandle",
                                        table_.cuIpcGetEventHandle(&native, own->native_event())),
                   "an event"));
  static_assert(sizeof(native) == sizeof(handle.opaque));
  std::memcpy(handle.opaque.data(), &native, sizeof(native));
  return handle;
}

Result<std::shared_ptr<detail::EventImpl>> CudaDriver::import_event(int index,
                                                                    const SharedHandle& event) {
  RONDO_ASSIGN(auto own, context(index));
  RONDO_TRY(check_handle(event, DeviceKind::kCuda, SharedKind::kEvent));
  CUipcEventHandle native{};
  std::memcpy(&native, event.opaque.data(), sizeof(native));
  const CudaScope scope(*own);
  RONDO_TRY(scope.status());
  CUevent opened = nullptr;
  const Status status =
      own->check("cuIpcOpenEventHandle", table_.cuIpcOpenEventHandle(&opened, native));
  if (!status.ok()) {
    return Status(status.code(), "opening " + describe(event) + ": " + status.message());
  }
  return std::shared_ptr<detail::EventImpl>(std::make_shared<CudaEvent>(std::move(own), opened));
}

}  // namespace rondo::device
