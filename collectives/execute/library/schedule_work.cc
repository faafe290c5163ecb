#include "collectives/execute/library/schedule_work.h"

#include <algorithm>
#include <utility>

#include "core/device/memory.h"

namespace rondo::execute {
namespace {

/// What kernels read sixteen bytes at a time, and libraries like best.
constexpr std::size_t kAlignment = 256;

std::size_t aligned(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

const BoundPort* memory_target(const BoundSweep& sweep) {
  const auto found = std::ranges::find(sweep.targets, false, &BoundPort::is_channel);
  return found == sweep.targets.end() ? nullptr : &*found;
}

/// Of the messages that this rank sends to a peer, or receives from it.
std::size_t bytes_of(const Plan& plan, int peer, bool sent) {
  std::size_t bytes = 0;
  for (const auto& lane : plan.lanes()) {
    for (const BoundSweep& sweep : lane) {
      for (const BoundPort& port : sent ? sweep.targets : sweep.sources) {
        const auto channels = sent ? plan.senders() : plan.receivers();
        const bool is_theirs = port.is_channel && channels[port.channel].endpoint->peer() == peer;
        if (is_theirs) bytes += sweep.bytes;
      }
    }
  }
  return bytes;
}

}  // namespace

Result<std::unique_ptr<LibraryWork>> ScheduleWork::make(const Plan& plan,
                                                        std::vector<schedule::Round> rounds,
                                                        Device device, DataType type,
                                                        kernels::DeviceReduceKernel kernel,
                                                        bool compares_sizes) {
  std::unique_ptr<ScheduleWork> made(
      new ScheduleWork(plan, std::move(rounds), type, std::move(kernel), compares_sizes));
  RONDO_TRY(made->allocate_waiting(device));
  return std::unique_ptr<LibraryWork>(std::move(made));
}

ScheduleWork::ScheduleWork(const Plan& plan, std::vector<schedule::Round> rounds, DataType type,
                           kernels::DeviceReduceKernel kernel, bool compares_sizes)
    : plan_(plan),
      rounds_(std::move(rounds)),
      type_(type),
      kernel_(std::move(kernel)),
      compares_sizes_(compares_sizes) {}

/// A lane waits in one sweep at a time: room for the largest.
Status ScheduleWork::allocate_waiting(Device device) {
  std::size_t whole = 0;
  for (const auto& lane : plan_.lanes()) {
    std::size_t most = 0;
    for (const BoundSweep& sweep : lane) {
      if (sweep.sources.size() < 2) continue;
      const auto messages = std::ranges::count(sweep.sources, true, &BoundPort::is_channel);
      most = std::max(most, static_cast<std::size_t>(messages) * aligned(sweep.bytes));
    }
    waiting_offset_.push_back(whole);
    whole += most;
  }
  if (whole == 0) return {};
  RONDO_ASSIGN(waiting_, device::allocate_memory(device, whole));
  return {};
}

std::size_t ScheduleWork::sent_to(int peer) const {
  return compares_sizes_ ? bytes_of(plan_, peer, true) / plan_.element_bytes() : 0;
}

std::size_t ScheduleWork::received_from(int peer) const {
  return compares_sizes_ ? bytes_of(plan_, peer, false) / plan_.element_bytes() : 0;
}

void ScheduleWork::begin(const std::byte* input, std::byte* output) {
  // That no schedule writes to its input is verified.
  bases_ = {const_cast<std::byte*>(input), output, plan_.scratch().data()};
  round_ = 0;
}

Result<bool> ScheduleWork::issue(device::LibraryCommunicator& communicator,
                                 detail::StreamImpl& stream) {
  if (round_ == rounds_.size()) return false;
  const schedule::Round& round = rounds_[round_++];
  for (const schedule::RoundSweep& sweep : round.sweeps) RONDO_TRY(combine(sweep, stream));
  if (round.sends.empty() && round.receives.empty()) return true;
  RONDO_TRY(in_group(communicator, [&] { return exchange(round, communicator, stream); }));
  return true;
}

Status ScheduleWork::combine(const schedule::RoundSweep& at, detail::StreamImpl& stream) {
  const BoundSweep& sweep = sweep_of(at.lane, at.sweep);
  if (sweep.bytes == 0) return {};
  sources_.clear();
  targets_.clear();
  for (std::size_t port = 0; port < sweep.sources.size(); ++port)
    sources_.push_back(landing(at.lane, sweep, port));
  for (const BoundPort& target : sweep.targets)
    if (!target.is_channel) targets_.push_back(memory(target.slice));
  if (targets_.empty()) return {};
  if (sources_.size() > 1) {
    return kernel_(stream, {.sources = sources_,
                            .targets = targets_,
                            .count = sweep.bytes / plan_.element_bytes(),
                            .divisor = sweep.final ? plan_.divisor() : 1});
  }
  for (void* target : targets_)
    if (target != sources_[0]) RONDO_TRY(stream.copy(target, sources_[0], sweep.bytes));
  return {};
}

/// Where a source lies when its sweep's turn comes.
std::byte* ScheduleWork::landing(std::size_t lane, const BoundSweep& sweep,
                                 std::size_t port) const {
  if (!sweep.sources[port].is_channel) return memory(sweep.sources[port].slice);
  // A plan gives every sweep that doesn't just send its own memory a place for its result.
  if (sweep.sources.size() == 1) return memory(memory_target(sweep)->slice);
  const auto before = std::ranges::count(sweep.sources.first(port), true, &BoundPort::is_channel);
  return waiting_.get() + waiting_offset_[lane] +
         static_cast<std::size_t>(before) * aligned(sweep.bytes);
}

/// The sweep's result, or, of a plain send, its source.
const std::byte* ScheduleWork::payload(const BoundSweep& sweep) const {
  const BoundPort* const target = memory_target(sweep);
  return memory(target == nullptr ? sweep.sources.front().slice : target->slice);
}

Status ScheduleWork::exchange(const schedule::Round& round,
                              device::LibraryCommunicator& communicator,
                              detail::StreamImpl& stream) const {
  const auto count = [this](const BoundSweep& sweep) {
    return sweep.bytes / plan_.element_bytes();
  };
  for (const schedule::RoundMessage& message : round.sends) {
    const BoundSweep& sweep = sweep_of(message.lane, message.sweep);
    if (sweep.bytes == 0) continue;
    RONDO_TRY(
        communicator.send({payload(sweep), nullptr, count(sweep), type_}, message.peer, stream));
  }
  for (const schedule::RoundMessage& message : round.receives) {
    const BoundSweep& sweep = sweep_of(message.lane, message.sweep);
    if (sweep.bytes == 0) continue;
    RONDO_TRY(communicator.receive(
        {nullptr, landing(message.lane, sweep, message.port), count(sweep), type_}, message.peer,
        stream));
  }
  return {};
}

}  // namespace rondo::execute
