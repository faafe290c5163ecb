// Which programs layers append to. The process has one pair; a ProgramGuard replaces it for its
// own thread, so that threads can build different programs at once.

#include "rondo/nn/program.h"

namespace rondo::nn::inline v1 {
namespace {

thread_local Program* guarded_main = nullptr;
thread_local Program* guarded_startup = nullptr;

}  // namespace

Program& default_main_program() {
  static Program program;
  return guarded_main != nullptr ? *guarded_main : program;
}

Program& default_startup_program() {
  static Program program;
  return guarded_startup != nullptr ? *guarded_startup : program;
}

ProgramGuard::ProgramGuard(Program& main, Program& startup)
    : previous_main_(guarded_main), previous_startup_(guarded_startup) {
  guarded_main = &main;
  guarded_startup = &startup;
}

ProgramGuard::~ProgramGuard() {
  guarded_main = previous_main_;
  guarded_startup = previous_startup_;
}

}  // namespace rondo::nn::inline v1
