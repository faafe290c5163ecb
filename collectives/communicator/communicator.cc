#include "rondo/communicator.h"

#include <string>
#include <utility>
#include <vector>

#include "collectives/communicator/handle.h"
#include "collectives/communicator/split.h"
#include "collectives/communicator/tuning.h"
#include "core/one_line.h"

namespace rondo {
inline namespace v1 {

int Communicator::rank() const { return alive(impl_).place().rank(); }
int Communicator::size() const { return alive(impl_).place().size(); }
Device Communicator::device() const { return alive(impl_).place().device(); }

std::optional<Communicator> Communicator::split(std::optional<int> color, int key) {
  auto engine = value_or_throw(communicator::split(alive(impl_).engine(), color, key));
  if (engine == nullptr) return std::nullopt;
  return Communicator(std::make_unique<Impl>(std::move(engine)));
}

std::string Communicator::measure_tuning() {
  return value_or_throw(communicator::measure_tuning(alive(impl_).engine()));
}

std::vector<MeasuredChoice> Communicator::measure_choices(Collective collective,
                                                          const std::vector<std::size_t>& bytes,
                                                          int rounds, MemoryKind memory) {
  return value_or_throw(
      communicator::measure_choices(alive(impl_).engine(), collective, bytes, rounds, memory));
}

void Communicator::abort(const Error& cause) {
  alive(impl_).engine().abort(
      Status(cause.code(), on_one_line(cause.message()), rank(), on_one_line(cause.where())));
}

std::vector<PeerTraffic> Communicator::traffic() const {
  return value_or_throw(alive(impl_).engine().traffic());
}

int Communicator::descriptor() { return value_or_throw(alive(impl_).engine().descriptor()); }

std::size_t Communicator::progress() { return alive(impl_).engine().progress(); }

CallInfo Communicator::last_call() const {
  return value_or_throw(alive(impl_).engine().last_call());
}

std::string Communicator::metrics() const {
  return value_or_throw(alive(impl_).engine().metrics());
}

void Communicator::set_trace(TraceFunction function) {
  throw_if_error(alive(impl_).engine().tell(std::move(function)));
}

void Communicator::write_trace(const std::string& path) const {
  throw_if_error(alive(impl_).place().trace().write(path));
}

}  // namespace v1
}  // namespace rondo
