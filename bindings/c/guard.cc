#include "bindings/c/guard.h"

#include <array>
#include <cstdio>
#include <string>

#include "bindings/c/convert.h"

namespace rondo::c {
namespace {

constexpr std::size_t kMostMessage = 2048;
constexpr std::size_t kMostWhere = 512;

/// Cut where they are longer: an error must not need memory.
struct LastError {
  std::array<char, kMostMessage> message{};
  std::array<char, kMostWhere> where{};
  rondo_error error{RONDO_OK, kNoCulprit, message.data(), where.data()};
};

LastError& last_error() noexcept {
  thread_local LastError last;
  return last;
}

template <std::size_t size>
void copy(std::array<char, size>& target, const char* text) noexcept {
  static_cast<void>(std::snprintf(target.data(), size, "%s", text));
}

}  // namespace

rondo_error as_c(const Error& error) noexcept {
  return {static_cast<rondo_status>(error.code()), error.culprit(), error.message().c_str(),
          error.where().c_str()};
}

rondo_status keep(const Error& error) noexcept {
  LastError& last = last_error();
  copy(last.message, error.message().c_str());
  copy(last.where, error.where().c_str());
  last.error.status = static_cast<rondo_status>(error.code());
  last.error.culprit = error.culprit();
  return last.error.status;
}

rondo_status keep(ErrorCode code, const char* message) noexcept {
  LastError& last = last_error();
  copy(last.message, message);
  copy(last.where, "");
  last.error.status = static_cast<rondo_status>(code);
  last.error.culprit = kNoCulprit;
  return last.error.status;
}

void need(const void* pointer, const char* what) {
  if (pointer == nullptr) throw Error(ErrorCode::kInvalidArgument, std::string(what) + " is null");
}

void refuse_handle(const void* handle, const char* what) {
  need(handle, what);
  throw Error(ErrorCode::kInvalidArgument,
              std::string(what) + " is no handle of Rondo, or was given back");
}

}  // namespace rondo::c

extern "C" {

const rondo_error* rondo_last_error(void) { return &rondo::c::last_error().error; }

const char* rondo_status_name(rondo_status status) {
  const std::int32_t number = rondo::c::number_of(status);
  const bool known = number >= RONDO_OK && number <= RONDO_CANCELLED;
  return known ? rondo::to_string(static_cast<rondo::ErrorCode>(number)) : "unknown";
}

}  // extern "C"
