#include "calls.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <stdexcept>

namespace bench {
namespace {

bool is_uneven(const std::string& call) { return call.ends_with("_v"); }

bool has_parts(const std::string& call) {
  static const std::set<std::string> calls = {"all_gather", "reduce_scatter", "gather", "scatter",
                                              "all_to_all"};
  return calls.contains(is_uneven(call) ? call.substr(0, call.size() - 2) : call);
}

std::vector<std::size_t> shares_of(const std::string& call, int ranks, int rank) {
  std::vector<std::size_t> shares(static_cast<std::size_t>(ranks), 1);
  if (!is_uneven(call)) return shares;
  for (std::size_t i = 0; i < shares.size(); ++i) shares[i] = 1 + i % 3;
  if (call == "all_to_all_v") std::ranges::rotate(shares, shares.begin() + rank);
  return shares;
}

Parts parts_of(const std::vector<std::size_t>& shares, std::size_t unit) {
  Parts parts;
  std::size_t first = 0;
  for (const std::size_t share : shares) {
    parts.counts.push_back(share * unit);
    parts.mpi_counts.push_back(static_cast<int>(share * unit));
    parts.mpi_firsts.push_back(static_cast<int>(first));
    first += share * unit;
  }
  return parts;
}

/// How the data of a call are shared out: so many units of elements for each rank.
std::vector<std::size_t> units_of(const std::string& call, int ranks, int rank) {
  if (!has_parts(call)) return {1};
  return shares_of(call, ranks, rank);
}

std::size_t sum_of(const std::vector<std::size_t>& shares) {
  return std::accumulate(shares.begin(), shares.end(), std::size_t{0});
}

/// Elements of a unit. Errors: none is left.
std::size_t unit_of(const std::string& call, std::size_t bytes, int ranks, std::size_t units) {
  const std::size_t unit = bytes / sizeof(float) / units;
  if (unit != 0) return unit;
  throw std::runtime_error(call + " among " + std::to_string(ranks) + " ranks: expected at least " +
                           std::to_string(units * sizeof(float)) + " bytes, got " +
                           std::to_string(bytes));
}

Data data_of_unit(const std::string& call, const std::vector<std::size_t>& shares, std::size_t unit,
                  int rank) {
  Data data;
  data.total = data.part = sum_of(shares) * unit;
  if (has_parts(call)) {
    data.parts = parts_of(shares, unit);
    data.part = data.parts.counts[static_cast<std::size_t>(rank)];
  }
  if (call == "send") data.total = kMessages * data.part;
  return data;
}

}  // namespace

Data data_of(const std::string& call, std::size_t bytes, int ranks, int rank) {
  const std::vector<std::size_t> shares = units_of(call, ranks, rank);
  return data_of_unit(call, shares, unit_of(call, bytes, ranks, sum_of(shares)), rank);
}

std::vector<Data> data_of_new_counts(const std::string& call, std::size_t bytes, int ranks,
                                     int rank) {
  constexpr std::size_t kMostBeside = 150;
  constexpr std::size_t kLeastBeside = 8;
  const std::vector<std::size_t> shares = units_of(call, ranks, rank);
  const std::size_t unit = unit_of(call, bytes, ranks, sum_of(shares));
  const std::size_t beside = std::min(unit - 1, kMostBeside);
  if (beside < kLeastBeside) {
    const std::size_t least = sum_of(shares) * (kLeastBeside + 1) * sizeof(float);
    throw std::runtime_error(call + " of " + std::to_string(bytes) +
                             " bytes has too few other counts around it for new ones each time: "
                             "expected at least " +
                             std::to_string(least) + " bytes");
  }
  std::vector<Data> all;
  for (std::size_t of = unit - beside; of <= unit + beside; ++of)
    all.push_back(data_of_unit(call, shares, of, rank));
  return all;
}

bool is_in_place(const std::string& call) { return call == "all_reduce" || call == "broadcast"; }

double messages_in(const std::string& call) {
  if (call == "ping_pong") return 2;
  return call == "send" ? static_cast<double>(kMessages) : 1;
}

int partner_of(int rank, int ranks) {
  const int partner = rank ^ 1;
  return partner < ranks ? partner : -1;
}

}  // namespace bench
