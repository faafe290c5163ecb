// C's calls that run beside the program.

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <utility>

#include "bindings/c/convert.h"
#include "bindings/c/guard.h"
#include "bindings/c/handles.h"
#include "bindings/c/spares.h"

using rondo::c::checked;
using rondo::c::guarded;
using rondo::c::need;

namespace {

/// Becomes the work where that is to lie: one that is moved there has to be read in wider pieces
/// than it has just been written in, and waits until the core has no store under way.
struct Started {
  rondo::Communicator& communicator;
  const rondo::Call& call;

  // NOLINTNEXTLINE(google-explicit-constructor)
  operator rondo::Work() const { return communicator.start(call); }
};

}  // namespace

extern "C" {

rondo_status rondo_start(rondo_communicator* communicator, const rondo_call* call,
                         rondo_work** out) {
  return guarded([&] {
    auto& [word, own, device] = checked(communicator, "communicator");
    need(out, "out");
    auto work = rondo::c::Spares<rondo_work>::take();
    work->work.emplace(Started{own, work->call.read(call, own, device)});
    work->call.let_go();
    work->word = rondo_work::kWord;
    *out = work.release();
  });
}

rondo_status rondo_work_test(rondo_work* work, int* done) {
  return guarded([&] {
    need(done, "done");
    *done = checked(work, "work").work->test() ? 1 : 0;
  });
}

rondo_status rondo_work_wait(rondo_work* work) {
  return guarded([&] { checked(work, "work").work->wait(); });
}

rondo_status rondo_work_wait_for(rondo_work* work, int limit_ms, int* done) {
  return guarded([&] {
    auto& own = *checked(work, "work").work;
    need(done, "done");
    if (limit_ms < 0)
      throw rondo::Error(rondo::ErrorCode::kInvalidArgument,
                         fmt::format("limit_ms: expected at least 0, got {}", limit_ms));
    *done = 0;
    const bool over = own.wait_for(std::chrono::milliseconds(limit_ms));
    *done = over ? 1 : 0;
  });
}

rondo_status rondo_work_cancel(rondo_work* work) {
  return guarded([&] { checked(work, "work").work->cancel(); });
}

rondo_status rondo_work_then(rondo_work* work, rondo_done_function function, void* context) {
  return guarded([&] {
    auto& own = *checked(work, "work").work;
    need(reinterpret_cast<const void*>(function), "function");
    own.then([function, context](const rondo::Error* error) {
      if (error == nullptr) return function(context, nullptr);
      const rondo_error told = rondo::c::as_c(*error);
      function(context, &told);
    });
  });
}

rondo_status rondo_work_release(rondo_work* work) {
  return guarded([&] {
    if (work == nullptr) return;
    checked(work, "work").word = 0;
    std::unique_ptr<rondo_work> own(work);
    own->work.reset();
    rondo::c::Spares<rondo_work>::keep(std::move(own));
  });
}

}  // extern "C"
