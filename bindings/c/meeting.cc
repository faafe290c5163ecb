#include "bindings/c/meeting.h"

#include <fmt/format.h>

#include <cstring>
#include <new>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "bindings/c/guard.h"
#include "rondo/bootstrap.h"
#include "rondo/error.h"

namespace rondo::c {
namespace {

static_assert(sizeof(rondo_unique_id::text) == kMostUniqueIdBytes + 1);

/// What no id begins with; then the code as a letter, and the message, cut where it is longer.
constexpr char kRefusal = '!';
constexpr char kFirstCode = 'A';
constexpr std::string_view kCut = "...";

rondo_unique_id block_of(std::string_view text) {
  rondo_unique_id block{};
  const std::size_t length = text.copy(block.text, kMostUniqueIdBytes);
  if (length < text.size()) kCut.copy(block.text + length - kCut.size(), kCut.size());
  return block;
}

rondo_unique_id block_of(const Error& refusal) {
  const auto code = static_cast<char>(kFirstCode + static_cast<int>(refusal.code()));
  return block_of(fmt::format("{}{}{}", kRefusal, code, refusal.message()));
}

/// Up to its end, which may be missing.
std::string text_of(const rondo_unique_id& block) {
  return {block.text, strnlen(block.text, sizeof block.text)};
}

/// Nothing where process `process` takes part.
std::optional<Error> refusal_of(const rondo_unique_id& block, int process) {
  const std::string text = text_of(block);
  if (text.size() < 2 || text[0] != kRefusal) return {};
  const int code = text[1] - kFirstCode;
  const bool known = code >= RONDO_INVALID_ARGUMENT && code <= RONDO_CANCELLED;
  return Error(known ? static_cast<ErrorCode>(code) : ErrorCode::kInternal,
               fmt::format("process {} can't take part: {}", process, text.substr(2)), process);
}

/// Why this process can't take part, or its block.
std::optional<Error> prepare_block(const std::function<std::string()>& prepare, int process,
                                   rondo_unique_id& block) {
  try {
    block = block_of(prepare());
    return {};
  } catch (const Error& error) {
    return Error(error.code(), error.message(), process, error.where());
  } catch (const std::bad_alloc&) {
    return Error(ErrorCode::kSystem, "out of memory", process);
  } catch (const std::exception& error) {
    return Error(ErrorCode::kInternal, error.what(), process);
  }
}

void check_processes(const Meeting& meeting) {
  if (meeting.processes <= kMostProcesses && meeting.process >= 0 &&
      meeting.process < meeting.processes)
    return;
  throw Error(ErrorCode::kInvalidArgument,
              fmt::format("process {} of {}: expected 0 to processes - 1, of at most {} processes",
                          meeting.process, meeting.processes, kMostProcesses));
}

}  // namespace

std::string meet(const Meeting& meeting, const std::function<std::string()>& prepare) {
  need(reinterpret_cast<const void*>(meeting.all_gather), "all_gather");
  check_processes(meeting);
  std::vector<rondo_unique_id> all(static_cast<std::size_t>(meeting.processes));
  rondo_unique_id mine{};
  const std::optional<Error> failure = prepare_block(prepare, meeting.process, mine);
  if (failure) mine = block_of(*failure);
  const int answer = meeting.all_gather(meeting.context, &mine, all.data(), sizeof mine);
  if (failure) throw Error(*failure);
  if (answer != 0)
    throw Error(ErrorCode::kSystem, fmt::format("the program's all_gather returned {}", answer));
  for (int process = 0; process < meeting.processes; ++process) {
    auto refusal = refusal_of(all[static_cast<std::size_t>(process)], process);
    if (refusal) throw Error(*std::move(refusal));
  }
  std::string id = text_of(all.front());
  if (!id.empty()) return id;
  throw Error(ErrorCode::kSystem,
              "all_gather gave an empty block as process 0's: expected its unique id, which it "
              "makes before it calls all_gather",
              0);
}

}  // namespace rondo::c
