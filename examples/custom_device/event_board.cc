#include "examples/custom_device/event_board.h"

#include <map>
#include <mutex>
#include <numeric>
#include <utility>
#include <vector>

namespace custom_cpu {
namespace {

constexpr std::uint32_t kSlots = 65'536;
constexpr std::uint64_t kBoardBytes = kSlots * sizeof(Slot);

Slot* slots(std::byte* memory) { return reinterpret_cast<Slot*>(memory); }

/// Made with the first event that is exported, and kept until the process ends.
class Board {
 public:
  static Board& own() {
    static Board& made = *new Board();
    return made;
  }

  std::shared_ptr<Lease> lend() {
    const std::lock_guard lock(mutex_);
    if (file_ == nullptr || free_.empty()) return nullptr;
    const std::uint32_t index = free_.back();
    free_.pop_back();
    slot(index).failed = 0;
    return std::make_shared<Lease>(index);
  }
  void take_back(std::uint32_t index) {
    const std::lock_guard lock(mutex_);
    free_.push_back(index);
  }
  Slot& slot(std::uint32_t index) { return slots(file_->data())[index]; }
  FileName name() const { return name_; }

 private:
  Board() : file_(SharedFile::create(kBoardBytes)), free_(kSlots) {
    if (file_ != nullptr) name_ = file_->name();
    std::iota(free_.rbegin(), free_.rend(), 0U);
  }

  std::unique_ptr<SharedFile> file_;
  FileName name_{};
  std::mutex mutex_;
  std::vector<std::uint32_t> free_;
};

}  // namespace

std::shared_ptr<Lease> Lease::take() { return Board::own().lend(); }

Lease::~Lease() { Board::own().take_back(index_); }

Slot& Lease::slot() const { return Board::own().slot(index_); }

EventName Lease::name() const { return {.file = Board::own().name(), .slot = index_}; }

std::shared_ptr<PeerBoard> PeerBoard::open(const EventName& name) {
  static std::mutex mutex;
  static auto& known =
      *new std::map<std::pair<std::uint64_t, std::int32_t>, std::weak_ptr<PeerBoard>>();
  if (name.slot >= kSlots) return nullptr;
  const std::lock_guard lock(mutex);
  std::weak_ptr<PeerBoard>& kept = known[{name.file.inode, name.file.process}];
  std::shared_ptr<PeerBoard> board = kept.lock();
  if (board != nullptr) return board;
  Mapping memory = Mapping::open(name.file, 0, kBoardBytes);
  if (memory.data() == nullptr) return nullptr;
  board = std::make_shared<PeerBoard>(name.file, std::move(memory));
  kept = board;
  return board;
}

const Slot& PeerBoard::slot(std::uint32_t index) const { return slots(memory_.data())[index]; }

}  // namespace custom_cpu
