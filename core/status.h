#pragma once

// Status and Result: how everything below the public API reports failure. OK costs one word; an
// error owns its code, message, culprit and the place in the schedule where it happened.
// Nothing inside throws; `throw_if_error` turns a Status into rondo::Error at the door.

#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "rondo/error.h"
#include "rondo/export.h"

namespace rondo {

class [[nodiscard]] RONDO_API Status {
 public:
  Status() = default;
  Status(ErrorCode code, std::string message, int culprit = kNoCulprit, std::string where = {});
  Status(const Status& other) : detail_(other.ok() ? nullptr : other.copy_of_detail()) {}
  Status& operator=(const Status& other);
  Status(Status&&) noexcept = default;
  Status& operator=(Status&&) noexcept = default;

  bool ok() const { return detail_ == nullptr; }
  explicit operator bool() const { return ok(); }

  ErrorCode code() const { return ok() ? ErrorCode::kOk : detail_->code; }
  const std::string& message() const;
  int culprit() const { return ok() ? kNoCulprit : detail_->culprit; }
  const std::string& where() const;

  /// The same error with the culprit, or the place, filled in where it has none yet.
  Status with_culprit(int rank) &&;
  Status at(std::string where) &&;

  /// "PeerLost: rank 2 (host:pid) closed its connection [rank 0, lane 0, op 3/6 ...]"
  std::string to_string() const;

 private:
  struct Detail {
    ErrorCode code;
    std::string message;
    int culprit;
    std::string where;
  };
  /// Out of line: nearly every Status is OK when it goes, and in each function that has one the two
  /// strings' ends would take a hundred bytes.
  struct Delete {
    [[gnu::cold]] void operator()(Detail* detail) const;
  };
  std::unique_ptr<Detail, Delete> copy_of_detail() const;

  std::unique_ptr<Detail, Delete> detail_;
};

/// The error for a failed system call: "<what>: <text of errno>".
RONDO_API Status system_error(std::string what, int errno_value);

/// Throws `status`, an error, as rondo::Error.
[[noreturn]] RONDO_API void throw_error(const Status& status);

/// Throws rondo::Error where `status` is an error.
inline void throw_if_error(const Status& status) {
  if (!status.ok()) [[unlikely]]
    throw_error(status);
}

/// `status` itself, or Internal where it is no error: a Result without a value must not pass as Ok.
RONDO_API Status require_error(Status status);

/// A value or the error that kept it from being made.
///
/// There is no flag but the error. Plain values are held without std::optional: to copy an
/// optional<bool>, gcc 12 reads two bytes at once that were written one by one. The processor can't
/// forward that from its store buffer and waits until it is empty, which on the way of a message
/// means: until a line has come from another core's cache.
template <typename T>
class [[nodiscard]] Result {
  static constexpr bool kPlain =
      std::is_trivially_copyable_v<T> && std::is_default_constructible_v<T>;

 public:
  // Implicit, so that a function returns a value or an error as it is.
  // NOLINTBEGIN(google-explicit-constructor)
  Result(T made) : value_(std::move(made)) {}
  Result(Status error) : status_(require_error(std::move(error))) {}
  // NOLINTEND(google-explicit-constructor)

  bool ok() const { return status_.ok(); }
  explicit operator bool() const { return ok(); }
  const Status& status() const& { return status_; }
  /// A copy: without its error it would seem to have a value.
  Status status() && { return status_; }

  T& value() & { return held(value_); }
  const T& value() const& { return held(value_); }
  T&& value() && { return std::move(held(value_)); }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  template <typename Value>
  static auto& held(Value& value) {
    if constexpr (kPlain) {
      return value;
    } else {
      return *value;
    }
  }

  std::conditional_t<kPlain, T, std::optional<T>> value_{};
  Status status_;
};

/// The value, or rondo::Error thrown.
template <typename T>
T value_or_throw(Result<T> result) {
  throw_if_error(result.status());
  return std::move(result).value();
}

}  // namespace rondo

/// Returns the error of `expression` (a Status) from the enclosing function, if it is one.
#define RONDO_TRY(expression)                                                    \
  do {                                                                           \
    if (::rondo::Status rondo_try_status = (expression); !rondo_try_status.ok()) \
      return rondo_try_status;                                                   \
  } while (false)

#define RONDO_CONCAT_INNER(a, b) a##b
#define RONDO_CONCAT(a, b) RONDO_CONCAT_INNER(a, b)

/// Declares `declaration` with the value of `expression` (a Result), or returns its error.
#define RONDO_ASSIGN(declaration, expression)                                         \
  auto RONDO_CONCAT(rondo_result_, __LINE__) = (expression);                          \
  if (!RONDO_CONCAT(rondo_result_, __LINE__).ok())                                    \
    return std::move(RONDO_CONCAT(rondo_result_, __LINE__)).status();                 \
  /* NOLINTNEXTLINE(bugprone-macro-parentheses): a declaration can't stand in them */ \
  declaration = std::move(RONDO_CONCAT(rondo_result_, __LINE__)).value()
