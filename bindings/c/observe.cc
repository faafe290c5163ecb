// C's ways to watch a communicator: a descriptor, traces, metrics, the log.

#include <cstring>

#include "bindings/c/convert.h"
#include "bindings/c/guard.h"
#include "bindings/c/handles.h"
#include "rondo/log.h"

using rondo::c::checked;
using rondo::c::guarded;
using rondo::c::need;

static_assert(static_cast<int>(rondo::LogLevel::kOff) == RONDO_LOG_OFF &&
              static_cast<int>(rondo::LogLevel::kTrace) == RONDO_LOG_TRACE);

extern "C" {

rondo_status rondo_get_descriptor(rondo_communicator* communicator, int* out) {
  return guarded([&] {
    auto& own = checked(communicator, "communicator").communicator;
    need(out, "out");
    *out = own.descriptor();
  });
}

rondo_status rondo_progress(rondo_communicator* communicator, size_t* ended) {
  return guarded([&] {
    auto& own = checked(communicator, "communicator").communicator;
    const std::size_t count = own.progress();
    if (ended != nullptr) *ended = count;
  });
}

rondo_status rondo_write_trace(const rondo_communicator* communicator, const char* path) {
  return guarded([&] {
    const auto& own = checked(communicator, "communicator").communicator;
    need(path, "path");
    own.write_trace(path);
  });
}

rondo_status rondo_set_trace(rondo_communicator* communicator, rondo_trace_function function,
                             void* context) {
  return guarded([&] {
    auto& own = checked(communicator, "communicator").communicator;
    if (function == nullptr) return own.set_trace({});
    own.set_trace([function, context](const rondo::TracedCall& call) {
      const std::string collective(call.collective);
      const std::string algorithm(call.algorithm);
      const std::string transport(call.transport);
      const rondo_traced_call told{collective.c_str(),
                                   algorithm.c_str(),
                                   transport.c_str(),
                                   call.sequence,
                                   call.bytes,
                                   call.took_us,
                                   call.wait_us,
                                   call.reduce_us,
                                   call.waited_longest_for,
                                   static_cast<rondo_status>(call.result)};
      function(context, &told);
    });
  });
}

rondo_status rondo_get_metrics(const rondo_communicator* communicator, char* text, size_t room,
                               size_t* needed) {
  return guarded([&] {
    const auto& own = checked(communicator, "communicator").communicator;
    rondo::c::hand_text(own.metrics(), text, room, needed);
  });
}

rondo_status rondo_set_log(rondo_log_function function, void* context, rondo_log_level level) {
  return guarded([&] {
    rondo::c::check_enumerator(rondo::c::number_of(level), RONDO_LOG_OFF, RONDO_LOG_TRACE, "level",
                               "rondo_log_level");
    if (function == nullptr) return rondo::set_log({});
    rondo::set_log(
        [function, context](rondo::LogLevel of, std::string_view line) {
          const std::string text(line);
          function(context, static_cast<rondo_log_level>(of), text.c_str());
        },
        static_cast<rondo::LogLevel>(level));
  });
}

}  // extern "C"
