#include <rondo/communicator.h>

#include <cstdio>

int main() {
  rondo::Communicator world = rondo::Communicator::create();
  float value = static_cast<float>(world.rank()) + 0.25F;
  world.all_reduce({&value, 1});
  if (world.rank() == 0)
    std::printf("C++: sum %.2f of %d\n", static_cast<double>(value), world.size());
}
