#include "transport/mesh/at_once.h"

#include <fmt/format.h>

#include <atomic>
#include <exception>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "core/one_line.h"

namespace rondo::transport {
namespace {

enum class Start { kNotYet, kNow, kNever };

void say(std::atomic<Start>& start, Start word) {
  start.store(word);
  start.notify_all();
}

Status no_thread(std::size_t count, const std::system_error& error) {
  return Status(ErrorCode::kSystem,
                fmt::format("{} places of one process are connected at once, each by a thread, and "
                            "the system makes no more: {}; raise its limit (ulimit -u, the "
                            "container's), or give each place a process",
                            count, error.what()));
}

}  // namespace

Status at_once(std::size_t count, const std::function<Status(std::size_t)>& task) {
  std::vector<Status> results(count);
  const auto run = [&](std::size_t i) { results[i] = caught([&] { return task(i); }); };
  std::atomic<Start> start = Start::kNotYet;
  {
    std::vector<std::jthread> threads;
    threads.reserve(count);
    try {
      for (std::size_t i = 1; i < count; ++i) {
        threads.emplace_back([&, i] {
          start.wait(Start::kNotYet);
          if (start.load() == Start::kNow) run(i);
        });
      }
    } catch (const std::system_error& error) {
      say(start, Start::kNever);  // a task whose neighbour is missing would wait for it
      return no_thread(count, error);
    }
    say(start, Start::kNow);
    if (count > 0) run(0);
  }
  for (Status& result : results) RONDO_TRY(std::move(result));
  return {};
}

Status caught(const std::function<Status()>& task) {
  try {
    return task();
  } catch (const Error& error) {
    return Status(error.code(), error.message(), error.culprit(), error.where());
  } catch (const std::bad_alloc&) {
    return Status(ErrorCode::kSystem, "out of memory");
  } catch (const std::exception& error) {
    return Status(ErrorCode::kInternal, on_one_line(error.what()));
  } catch (...) {
    return Status(ErrorCode::kInternal, "something was thrown that is no std::exception");
  }
}

}  // namespace rondo::transport
