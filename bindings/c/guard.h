#pragma once

// The wall between C++ and C: whatever is thrown behind it becomes a status, and what it said this
// thread's last error. Costs nothing where nothing is thrown.

#include <exception>
#include <new>

#include "rondo/error.h"
#include "rondo/rondo.h"

namespace rondo::c {

/// Keeps it for rondo_last_error; allocates nothing.
rondo_status keep(const Error& error) noexcept;
rondo_status keep(ErrorCode code, const char* message) noexcept;

/// As C sees it; borrows the error's texts.
rondo_error as_c(const Error& error) noexcept;

template <typename Function>
rondo_status guarded(Function&& function) noexcept {
  try {
    function();
    return RONDO_OK;
  } catch (const Error& error) {
    return keep(error);
  } catch (const std::bad_alloc&) {
    return keep(ErrorCode::kSystem, "out of memory");
  } catch (const std::exception& error) {
    return keep(ErrorCode::kInternal, error.what());
  } catch (...) {
    return keep(ErrorCode::kInternal, "a callback has thrown something that is no exception");
  }
}

/// Throws InvalidArgument: "<what> is null".
void need(const void* pointer, const char* what);
/// Throws InvalidArgument: it is null, or no such handle. Apart from `checked` (handles.h), which
/// is two comparisons where it is made.
[[noreturn]] void refuse_handle(const void* handle, const char* what);

}  // namespace rondo::c
