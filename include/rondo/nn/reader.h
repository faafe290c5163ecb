#pragma once

// Readers: a Reader is a callable that starts one pass over a data set and returns its Stream, and
// a Stream is a callable that returns the next sample, or nothing at the end. Decorators wrap one
// reader in another. Nothing here knows a rank, except `shard`, which cuts one global batch.
// Threads: a stream belongs to one thread (buffered() reads ahead in a thread of its own).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "rondo/error.h"

namespace rondo::nn::inline v1 {

template <typename T>
using Stream = std::function<std::optional<T>()>;

template <typename T>
using Reader = std::function<Stream<T>()>;

/// A reader of the elements of `samples`, in order.
template <typename T>
Reader<T> read_all(std::vector<T> samples) {
  auto held = std::make_shared<const std::vector<T>>(std::move(samples));
  return [held] {
    return Stream<T>([held, next = std::size_t{0}]() mutable {
      return next < held->size() ? std::optional<T>((*held)[next++]) : std::nullopt;
    });
  };
}

/// Shuffles within a window of `buffer` samples: fill it, hand it out in random order, fill it
/// again. With `buffer` >= the size of the set it is a full shuffle.
/// Pass k of two readers made with the same seed has the same order, on every rank and with every
/// compiler (only the engine that the standard fixes bit by bit is used); passes differ.
/// Errors: InvalidArgument (buffer 0).
template <typename T>
Reader<T> shuffle(Reader<T> reader, std::size_t buffer, std::uint64_t seed) {
  if (buffer == 0) {
    throw Error(ErrorCode::kInvalidArgument, "shuffle: a buffer of 1 or more expected, found 0");
  }
  auto pass = std::make_shared<std::uint32_t>(0);
  return [reader = std::move(reader), buffer, seed, pass] {
    std::seed_seq seeds{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32U),
                        (*pass)++};
    return Stream<T>([stream = reader(), buffer, random = std::mt19937_64(seeds),
                      window = std::vector<T>()]() mutable -> std::optional<T> {
      if (window.empty()) {
        while (window.size() < buffer) {
          std::optional<T> sample = stream();
          if (!sample) break;
          window.push_back(std::move(*sample));
        }
        // Fisher-Yates; the bias of % is below 2^-40 for any window that fits in memory.
        for (std::size_t left = window.size(); left > 1; --left) {
          std::swap(window[left - 1], window[random() % left]);
        }
      }
      if (window.empty()) return std::nullopt;
      T sample = std::move(window.back());
      window.pop_back();
      return sample;
    });
  };
}

/// Groups `count` samples at a time. The last, smaller group is left out with `drop_last`.
/// Errors: InvalidArgument (count 0).
template <typename T>
Reader<std::vector<T>> batch(Reader<T> reader, std::size_t count, bool drop_last) {
  if (count == 0) {
    throw Error(ErrorCode::kInvalidArgument, "batch: a size of 1 or more expected, found 0");
  }
  return [reader = std::move(reader), count, drop_last] {
    return Stream<std::vector<T>>(
        [stream = reader(), count, drop_last]() -> std::optional<std::vector<T>> {
          std::vector<T> group;
          group.reserve(count);
          while (group.size() < count) {
            std::optional<T> sample = stream();
            if (!sample) break;
            group.push_back(std::move(*sample));
          }
          if (group.empty() || (drop_last && group.size() < count)) return std::nullopt;
          return group;
        });
  };
}

/// Applies `change` to every sample.
template <typename T, typename Change>
auto map(Reader<T> reader, Change change) {
  using To = std::invoke_result_t<Change&, T>;
  return Reader<To>([reader = std::move(reader), change = std::move(change)] {
    return Stream<To>([stream = reader(), change]() mutable -> std::optional<To> {
      std::optional<T> sample = stream();
      if (!sample) return std::nullopt;
      return std::invoke(change, std::move(*sample));
    });
  });
}

/// One reader after the other.
template <typename T>
Reader<T> chain(std::vector<Reader<T>> readers) {
  return [readers = std::move(readers)] {
    return Stream<T>(
        [readers, stream = Stream<T>(), next = std::size_t{0}]() mutable -> std::optional<T> {
          for (;;) {
            if (stream) {
              if (std::optional<T> sample = stream()) return sample;
            }
            if (next == readers.size()) return std::nullopt;
            stream = readers[next++]();
          }
        });
  };
}

/// Several readers side by side: sample i is the tuple of their samples i.
/// Errors, from the stream: DataLoss (one reader ends before the others).
template <typename... T>
Reader<std::tuple<T...>> compose(Reader<T>... readers) {
  return [readers...] {
    return Stream<std::tuple<T...>>([streams = std::make_tuple(readers()...)]() mutable
                                    -> std::optional<std::tuple<T...>> {
      auto samples = std::apply(
          [](auto&... stream) { return std::tuple<std::optional<T>...>{stream()...}; }, streams);
      const std::size_t present = std::apply(
          [](auto&... sample) { return (std::size_t{sample.has_value()} + ... + 0U); }, samples);
      if (present == 0) return std::nullopt;
      if (present < sizeof...(T)) {
        throw Error(ErrorCode::kDataLoss, "compose: readers of equal length expected, " +
                                              std::to_string(sizeof...(T) - present) + " of " +
                                              std::to_string(sizeof...(T)) +
                                              " ended before the others");
      }
      return std::apply([](auto&... sample) { return std::tuple<T...>{std::move(*sample)...}; },
                        samples);
    });
  };
}

/// The first `count` samples.
template <typename T>
Reader<T> firstn(Reader<T> reader, std::size_t count) {
  return [reader = std::move(reader), count] {
    return Stream<T>([stream = reader(), left = count]() mutable -> std::optional<T> {
      if (left == 0) return std::nullopt;
      --left;
      return stream();
    });
  };
}

/// Reads everything in the first pass and keeps it in memory for all passes.
template <typename T>
Reader<T> cache(Reader<T> reader) {
  struct Kept {
    std::once_flag once;
    Reader<T> all;
  };
  auto kept = std::make_shared<Kept>();
  return [reader = std::move(reader), kept] {
    std::call_once(kept->once, [&] {
      std::vector<T> samples;
      Stream<T> stream = reader();
      while (std::optional<T> sample = stream()) samples.push_back(std::move(*sample));
      kept->all = read_all(std::move(samples));
    });
    return kept->all();
  };
}

/// Position of one rank's part of a batch.
struct ShardRange {
  std::size_t begin = 0;
  std::size_t count = 0;
};

/// Cuts `count` samples into `world` contiguous parts in rank order, whose sizes differ by at most
/// one (the first ranks have the larger ones; with fewer samples than ranks some are empty).
/// Errors: InvalidArgument (rank outside 0..world-1).
inline ShardRange shard_range(std::size_t count, int rank, int world) {
  if (world < 1 || rank < 0 || rank >= world) {
    throw Error(ErrorCode::kInvalidArgument, "shard: a rank of 0.." + std::to_string(world - 1) +
                                                 " expected, found " + std::to_string(rank));
  }
  const auto r = static_cast<std::size_t>(rank);
  const std::size_t each = count / static_cast<std::size_t>(world);
  const std::size_t larger = count % static_cast<std::size_t>(world);
  return {r * each + std::min(r, larger), each + (r < larger ? 1 : 0)};
}

/// The part of one global batch that rank `rank` works on. All ranks read the same global batches
/// (same seed), so the batch that the model sees doesn't change with the number of ranks.
template <typename T>
std::span<const T> shard(const std::vector<T>& batch, int rank, int world) {
  const ShardRange range = shard_range(batch.size(), rank, world);
  return std::span<const T>(batch).subspan(range.begin, range.count);
}

}  // namespace rondo::nn::inline v1
