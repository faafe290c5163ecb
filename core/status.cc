#include "core/status.h"

#include <cstring>

namespace rondo {
namespace {

/// "Code: message [where]".
std::string printed(ErrorCode code, const std::string& message, const std::string& where) {
  std::string text = std::string(to_string(code)) + ": " + message;
  if (!where.empty()) text += " [" + where + "]";
  return text;
}

const std::string& empty_string() {
  static const std::string empty;
  return empty;
}

}  // namespace

inline namespace v1 {

const char* to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::kOk: return "Ok";
    case ErrorCode::kInvalidArgument: return "InvalidArgument";
    case ErrorCode::kMismatch: return "Mismatch";
    case ErrorCode::kTimeout: return "Timeout";
    case ErrorCode::kPeerLost: return "PeerLost";
    case ErrorCode::kUnsupported: return "Unsupported";
    case ErrorCode::kDataLoss: return "DataLoss";
    case ErrorCode::kSystem: return "System";
    case ErrorCode::kDevice: return "Device";
    case ErrorCode::kInternal: return "Internal";
    case ErrorCode::kCancelled: return "Cancelled";
  }
  return "Unknown";
}

Error::Error(ErrorCode code, const std::string& message, int culprit, std::string where)
    : std::runtime_error(printed(code, message, where)),
      code_(code),
      message_(message),
      culprit_(culprit),
      where_(std::move(where)) {}

}  // namespace v1

Status::Status(ErrorCode code, std::string message, int culprit, std::string where)
    : detail_(new Detail{code, std::move(message), culprit, std::move(where)}) {}

void Status::Delete::operator()(Detail* detail) const { delete detail; }

std::unique_ptr<Status::Detail, Status::Delete> Status::copy_of_detail() const {
  return std::unique_ptr<Detail, Delete>(new Detail(*detail_));
}

Status& Status::operator=(const Status& other) {
  if (this != &other) detail_ = other.ok() ? nullptr : other.copy_of_detail();
  return *this;
}

const std::string& Status::message() const { return ok() ? empty_string() : detail_->message; }

const std::string& Status::where() const { return ok() ? empty_string() : detail_->where; }

Status Status::with_culprit(int rank) && {
  if (!ok() && detail_->culprit == kNoCulprit) detail_->culprit = rank;
  return std::move(*this);
}

Status Status::at(std::string where) && {
  if (!ok() && detail_->where.empty()) detail_->where = std::move(where);
  return std::move(*this);
}

std::string Status::to_string() const { return ok() ? "Ok" : printed(code(), message(), where()); }

Status system_error(std::string what, int errno_value) {
  return Status(ErrorCode::kSystem, std::move(what) + ": " + std::strerror(errno_value));
}

void throw_error(const Status& status) {
  throw Error(status.code(), status.message(), status.culprit(), status.where());
}

Status require_error(Status status) {
  if (!status.ok()) return status;
  return Status(ErrorCode::kInternal, "a Result was made of a Status that is no error");
}

}  // namespace rondo
