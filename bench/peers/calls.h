#pragma once

// What the loops measure, by name, and the sizes of its data. Collectives by the names of `rondo
// bench`, those with parts of different sizes (all_gather_v and the like) too, and messages:
//   ping_pong     ranks 0 and 1 (2 and 3, ...) send each other a message in turn; half of that time
//   send          kMessages messages, one behind the other, from rank 0 to 1 (2 to 3, ...); the
//                 time of one
//   send_receive  every rank sends to the next one and receives from the one before
// Errors: std::runtime_error.
// Threads: any.

#include <cstddef>
#include <string>
#include <vector>

namespace bench {

/// Messages of one call of "send", each with memory of its own.
inline constexpr std::size_t kMessages = 8;

/// Elements of each rank's part, as Rondo takes them and as MPI does, made before the clock starts.
struct Parts {
  std::vector<std::size_t> counts;
  std::vector<int> mpi_counts;
  std::vector<int> mpi_firsts;
};

/// Float32 data of one call.
struct Data {
  float* input = nullptr;
  float* output = nullptr;
  std::size_t total = 0;  ///< elements of all parts, or of all messages
  std::size_t part = 0;   ///< of this rank's part, or of one message
  /// Of collectives with parts. all_to_all_v: this rank's to each other, and theirs to it.
  Parts parts;
};

/// Without memory. Parts of different sizes are those of `rondo bench`: of rank 0, 1, 2, 3, ... as
/// 1 : 2 : 3 : 1 : ...; from rank i to rank j part (i + j) mod ranks. What is left over is
/// nobody's. Errors: fewer bytes than give everyone an element.
Data data_of(const std::string& call, std::size_t bytes, int ranks, int rank);

/// The same of `bytes` on average, each with other counts than the one before: as many as there
/// are, 301 at most. The last is the largest. Errors: as above; fewer than 17 of them, which Rondo
/// would keep the plans of.
std::vector<Data> data_of_new_counts(const std::string& call, std::size_t bytes, int ranks,
                                     int rank);

/// all_reduce and broadcast read and write `output` alone.
bool is_in_place(const std::string& call);
/// What the time of a call is divided by.
double messages_in(const std::string& call);
/// With whom `rank` exchanges messages in ping_pong and send; -1: it has nobody.
int partner_of(int rank, int ranks);

}  // namespace bench
