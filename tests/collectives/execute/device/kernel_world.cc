#include "tests/collectives/execute/device/kernel_world.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <random>
#include <thread>
#include <utility>

#include "collectives/kernels/cuda/schedule_kernel.h"
#include "core/device/primitives/host_block.h"

namespace rondo::execute {
namespace {

using kernels::cuda::Letter;
using kernels::cuda::ScheduleCall;
using kernels::cuda::ScheduleState;
using kernels::cuda::ScheduleWords;

constexpr std::uint32_t kBlocksPerLane = 2;
constexpr unsigned int kThreads = 2;
constexpr float kUnwritten = -1e9F;

/// Words that are taken to say what is waited for, whatever they say.
struct Believed {
  std::span<const std::byte> words;
  std::uint32_t waited_for = 0;
};

/// The block of the host, whose threads pause now and then, one more than another.
class LateBlock {
 public:
  static constexpr unsigned int kNearLooks = primitives::HostBlock::kNearLooks;
  static constexpr unsigned int kFarLooks = primitives::HostBlock::kFarLooks;
  LateBlock(const primitives::HostBlock& block, std::uint64_t seed, Believed believed)
      : block_(block), believed_(believed), random_(seed + 64 * block.block() + block.thread()) {
    random_.discard(16);
    longest_us_ = draw(200);
  }

  unsigned int thread() const { return block_.thread(); }
  unsigned int threads() const { return block_.threads(); }
  unsigned int block() const { return block_.block(); }
  unsigned int blocks() const { return block_.blocks(); }
  void sync() const {
    be_late();
    block_.sync();
  }
  template <class T>
  T peek(T* word) const {
    return is_believed(word) ? believed_.waited_for : block_.peek(word);
  }
  template <class T>
  T load(T* word) const {
    return is_believed(word) ? believed_.waited_for : block_.load(word);
  }
  template <class T>
  void store(T* word, T value) const {
    block_.store(word, value);
  }
  void release() const { block_.release(); }
  template <class T>
  void put(T* word, T value) const {
    block_.put(word, value);
  }
  template <class T>
  T add(T* word, T value) const {
    return block_.add(word, value);
  }
  void pause() const { block_.pause(); }
  template <class T, int kCount>
  T* shared() const {
    return block_.shared<T, kCount>();
  }
  void be_late() const {
    if (draw(3) != 0) return;
    // house-allow(sleep): being late is what this block is for.
    std::this_thread::sleep_for(std::chrono::microseconds(draw(longest_us_)));
  }

 private:
  template <class T>
  bool is_believed(const T* word) const {
    const auto* const at = reinterpret_cast<const std::byte*>(word);
    const auto words = believed_.words;
    return at >= words.data() && at < words.data() + words.size();
  }
  int draw(int most) const { return std::uniform_int_distribution<int>(0, most)(random_); }

  const primitives::HostBlock& block_;
  Believed believed_;
  mutable std::mt19937_64 random_;
  int longest_us_ = 0;
};

}  // namespace

std::unique_ptr<Plan> PlanRank::plan(const BuiltInCall& call) {
  PlanInputs inputs = call.inputs(rank_);
  inputs.endpoint_of = [this](int peer) { return transport_->endpoint(peer); };
  auto plan = Plan::make(std::move(inputs));
  EXPECT_TRUE(plan.ok()) << call.text() << ": " << plan.status().to_string();
  return std::move(plan).value();
}

struct KernelWorld::Rank {
  Rank(std::unique_ptr<Plan> bound, const BuiltInCall& made, int own)
      : number(own),
        plan(std::move(bound)),
        program(KernelProgram::of(*plan).value()),
        input(made.input_part(own).count),
        output(made.output_part(own).count),
        goodbyes(3 * static_cast<std::size_t>(made.world())) {
    program.stride = std::max(program.stride, 1U);
    letters.resize(std::size_t{program.stride} * kernels::cuda::kMostScheduleLanes *
                   static_cast<std::size_t>(made.world()));
  }

  template <class T>
  static std::uint64_t address(T* memory) {
    return reinterpret_cast<std::uint64_t>(memory);
  }
  std::array<std::uint64_t, kernels::cuda::kRoles> bases() {
    return {address(input.data()), address(output.data()), address(plan->scratch().data())};
  }
  Believed believed(std::optional<KernelWait> left_out) const {
    if (left_out == KernelWait::kLetter) return {std::as_bytes(std::span(letters)), calls};
    if (left_out == KernelWait::kGoodbye) return {std::as_bytes(std::span(goodbyes)), calls};
    if (left_out == KernelWait::kBlocks) return {std::as_bytes(std::span(state.lanes)), ~0U};
    return {};
  }

  int number;
  std::unique_ptr<Plan> plan;
  KernelProgram program;
  Floats input;
  Floats output;
  std::vector<Letter> letters;
  std::vector<std::uint32_t> goodbyes;
  ScheduleState state{};
  ScheduleWords words{};
  ScheduleCall call{};
  std::uint32_t calls = 0;  ///< this one included
};

KernelWorld::KernelWorld(std::vector<PlanRank>& ranks, const BuiltInCall& call) : call_(call) {
  for (std::size_t i = 0; i < ranks.size(); ++i)
    ranks_.push_back(std::make_unique<Rank>(ranks[i].plan(call), call, static_cast<int>(i)));
  for (const auto& rank : ranks_) introduce(*rank);
}

KernelWorld::~KernelWorld() = default;

/// As KernelRunner does.
void KernelWorld::introduce(Rank& rank) {
  ScheduleCall& call = rank.call;
  call.lanes = rank.program.lanes.data();
  call.steps = rank.program.steps.data();
  call.ports = rank.program.ports.data();
  std::ranges::copy(rank.bases(), call.bases);
  call.mail = rank.letters.data();
  call.goodbyes = rank.goodbyes.data();
  call.state = &rank.state;
  call.words = &rank.words;
  call.stride = rank.program.stride;
  call.rank = static_cast<std::uint32_t>(rank.number);
  call.world = static_cast<std::uint32_t>(ranks_.size());
  call.lane_count = static_cast<std::uint32_t>(rank.program.lanes.size());
  call.blocks_per_lane = kBlocksPerLane;
  call.divisor = 1;
  call.element_bytes = sizeof(float);
  for (const transport::Endpoint* endpoint : rank.plan->endpoints()) {
    Rank& peer = *ranks_[static_cast<std::size_t>(endpoint->peer())];
    kernels::cuda::SchedulePeer& seen = call.peers[call.peer_count++];
    std::ranges::copy(peer.bases(), seen.bases);
    seen.mail = peer.letters.data();
    seen.goodbyes = peer.goodbyes.data();
    seen.rank = static_cast<std::uint32_t>(peer.number);
    seen.stride = peer.program.stride;
  }
}

std::optional<Floats> KernelWorld::run_rank(Rank& rank, const Manner& manner) {
  ++rank.calls;
  const std::uint64_t seed = manner.seed * 1'000'003 + 4'096 * rank.call.rank;
  const auto kernel = [&](const primitives::HostBlock& block) {
    const LateBlock late(block, seed, rank.believed(manner.left_out));
    late.be_late();
    kernels::cuda::schedule_kernel<kernels::cuda::Plain<float>, primitives::Add,
                                   kernels::cuda::NoFinish>(late, rank.call);
  };
  primitives::run_resident(rank.call.lane_count * kBlocksPerLane, kThreads, kernel);
  if (std::atomic_ref(rank.words.abort).load() != 0) {
    end_all();
    return std::nullopt;
  }
  Floats result = rank.output;
  for (Floats* memory : {&rank.input, &rank.output}) std::ranges::fill(*memory, 1e9F);
  return result;
}

bool KernelWorld::is_untouched(int rank) const {
  const Floats& output = ranks_[static_cast<std::size_t>(rank)]->output;
  return std::ranges::all_of(output, [](float value) { return value == kUnwritten; });
}

void KernelWorld::end_all() {
  for (const auto& rank : ranks_) std::atomic_ref(rank->words.abort).store(1);
}

std::vector<std::optional<Floats>> KernelWorld::run(const Manner& manner) {
  // Before any kernel runs, as where hosts meet before: peers store into outputs at once.
  for (const auto& rank : ranks_) {
    std::ranges::copy(call_.input(rank->number), rank->input.begin());
    std::ranges::fill(rank->output, kUnwritten);
  }
  std::vector<std::optional<Floats>> results(ranks_.size());
  std::mutex mutex;
  std::condition_variable ended;
  std::size_t running = ranks_.size();
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    threads.emplace_back([&, i] {
      results[i] = run_rank(*ranks_[i], manner);
      const std::lock_guard lock(mutex);
      if (--running == 0) ended.notify_one();
    });
  }
  std::unique_lock lock(mutex);
  if (!ended.wait_for(lock, manner.patience, [&] { return running == 0; })) end_all();
  lock.unlock();
  threads.clear();
  return results;
}

}  // namespace rondo::execute
