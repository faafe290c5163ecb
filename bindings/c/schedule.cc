// C's way to write a schedule op by op (rondo/schedule_builder.h).

#include <cstddef>
#include <memory>
#include <utility>

#include "bindings/c/convert.h"
#include "bindings/c/guard.h"
#include "bindings/c/handles.h"

using rondo::ScheduleBuilder;
using rondo::c::check_enumerator;
using rondo::c::checked;
using rondo::c::guarded;
using rondo::c::need;

namespace {

/// What even the oldest header has.
constexpr std::size_t kLeastStep = offsetof(rondo_step, final);

ScheduleBuilder::Place place_of(const rondo_place& place) {
  const std::int32_t memory = rondo::c::number_of(place.memory);
  check_enumerator(memory, RONDO_INPUT, RONDO_SCRATCH, "rondo_place.memory", "rondo_place_memory");
  return {static_cast<ScheduleBuilder::Place::Memory>(memory), place.index};
}

std::uint32_t add(ScheduleBuilder& builder, const rondo_step& step) {
  const std::int32_t kind = rondo::c::number_of(step.kind);
  check_enumerator(kind, RONDO_STEP_SEND, RONDO_STEP_WAIT, "rondo_step.kind", "rondo_step_kind");
  const bool final = step.final != 0;
  switch (kind) {
    case RONDO_STEP_SEND:
      return builder.send(step.rank, step.peer, place_of(step.source), step.lane);
    case RONDO_STEP_RECV:
      return builder.recv(step.rank, step.peer, place_of(step.target), step.lane);
    case RONDO_STEP_RECV_REDUCE:
      return builder.recv_reduce(step.rank, step.peer, place_of(step.source), place_of(step.target),
                                 final, step.lane);
    case RONDO_STEP_COPY:
      return builder.copy(step.rank, place_of(step.source), place_of(step.target), step.lane);
    case RONDO_STEP_REDUCE:
      return builder.reduce(step.rank, place_of(step.source), place_of(step.other),
                            place_of(step.target), final, step.lane);
    default: return builder.wait(step.rank, step.other_lane, step.other_op, step.lane);
  }
}

}  // namespace

extern "C" {

rondo_status rondo_schedule_begin(const char* name, rondo_kind kind, int ranks, uint32_t rows,
                                  int root, int turns, rondo_schedule** out) {
  return guarded([&] {
    need(name, "name");
    need(out, "out");
    ScheduleBuilder builder(name, rondo::c::collective_of(kind), ranks, rows, root);
    if (turns != 0) builder.turns();
    *out =
        std::make_unique<rondo_schedule>(rondo_schedule{.builder = std::move(builder)}).release();
  });
}

rondo_status rondo_schedule_scratch(rondo_schedule* schedule, int rank, uint32_t row,
                                    rondo_place* out) {
  return guarded([&] {
    need(out, "out");
    const auto place = checked(schedule, "schedule").builder.scratch(rank, row);
    *out = {RONDO_SCRATCH, place.index};
  });
}

rondo_status rondo_schedule_add(rondo_schedule* schedule, const rondo_step* step, uint32_t* op) {
  return guarded([&] {
    auto& builder = checked(schedule, "schedule").builder;
    need(step, "step");
    rondo_step room;
    const std::uint32_t number =
        add(builder, *rondo::c::known(step, room, kLeastStep, "rondo_step"));
    if (op != nullptr) *op = number;
  });
}

rondo_status rondo_schedule_build(const rondo_schedule* schedule, char* text, size_t room,
                                  size_t* needed) {
  return guarded([&] {
    const auto& builder = checked(schedule, "schedule").builder;
    rondo::c::hand_text(builder.build(), text, room, needed);
  });
}

rondo_status rondo_schedule_release(rondo_schedule* schedule) {
  return guarded([&] { rondo::c::give_back(schedule, "schedule"); });
}

}  // extern "C"
