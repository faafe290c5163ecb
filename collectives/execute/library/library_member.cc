#include "collectives/execute/library/library_member.h"

namespace rondo::execute {

Status LibraryMember::begin(transport::Endpoint& previous) {
  if (rank_ != 0) return heard_.hear(previous, &id_, sizeof(id_));
  RONDO_ASSIGN(id_, library_.make_id());
  return {};
}

Result<bool> LibraryMember::join(transport::Endpoint& previous, transport::Endpoint& next) {
  const bool is_last = rank_ + 1 == world_;
  switch (phase_) {
    case Phase::kHearing:
      if (rank_ != 0) RONDO_TRY(heard_.poll(previous).status());
      if (rank_ != 0 && !heard_.heard()) return false;
      if (!is_last) RONDO_TRY(told_.tell(next, &id_, sizeof(id_)));
      phase_ = Phase::kTelling;
      return true;
    case Phase::kTelling:
      if (!is_last) RONDO_TRY(told_.poll(next).status());
      if (!is_last && !told_.told()) return false;
      phase_ = Phase::kJoining;
      return begin_joining();
    case Phase::kJoining: return see_joined();
    case Phase::kJoined: return false;
  }
  return false;
}

Result<bool> LibraryMember::begin_joining() {
  RONDO_ASSIGN(communicator_, library_.join(device_.index, id_, rank_, world_));
  return true;
}

Result<bool> LibraryMember::see_joined() {
  RONDO_ASSIGN(const bool ready, communicator_->ready());
  if (ready) phase_ = Phase::kJoined;
  return ready;
}

void LibraryMember::give_up() {
  if (communicator_ != nullptr) communicator_->give_up();
}

}  // namespace rondo::execute
