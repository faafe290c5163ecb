#include "tests/collectives/communicator/random_call.h"

#include <cstring>
#include <functional>
#include <string_view>
#include <vector>

#include "tests/collectives/communicator/memory.h"

namespace rondo::testing {
namespace {

/// Elements that came from one rank: there from `first` on, here from `at` on.
struct Origin {
  int rank;
  std::size_t first;
  std::size_t at;
  std::size_t count;
};

/// Which elements the buffers of one rank have: `count` of them, `first` in the memory.
struct Range {
  std::size_t first = 0;
  std::size_t count = 0;
};

/// The shape of a step on one rank.
struct Shape {
  Shape(const Step& s, int own, int ranks) : step(s), rank(own) {
    const std::size_t part = s.counts[static_cast<std::size_t>(own)];
    is_root = own == s.root;
    switch (s.collective) {
      case Collective::kAllReduce:
      case Collective::kBroadcast: set(s.total(), s.total()); break;
      case Collective::kReduce: set(s.total(), is_root ? s.total() : 0); break;
      case Collective::kAllGather: set(part, s.total()); break;
      case Collective::kGather: set(part, is_root ? s.total() : 0); break;
      case Collective::kReduceScatter: set(s.total(), part); break;
      case Collective::kScatter: set(is_root ? s.total() : 0, part); break;
      case Collective::kAllToAll:
        for (int peer = 0; peer < ranks; ++peer) {
          input.count += s.between(own, peer);
          output.count += s.between(peer, own);
        }
        break;
      case Collective::kBarrier: break;
    }
    place();
  }

  bool in_place() const {
    if (step.collective == Collective::kBroadcast) return true;
    if (step.collective == Collective::kAllToAll) return false;
    return step.in_place && (!has_root(step.collective) || is_root);
  }
  std::size_t elements() const {
    return std::max(input.first + input.count, output.first + output.count);
  }

  const Step& step;
  int rank;
  bool is_root = false;
  Range input;
  Range output;

 private:
  void set(std::size_t inputs, std::size_t outputs) {
    input.count = inputs;
    output.count = outputs;
  }
  void place() {
    if (!in_place()) {
      output.first = input.count;
    } else if (input.count < output.count) {
      input.first = step.first_of(rank);
    } else if (output.count < input.count) {
      output.first = step.first_of(rank);
    }
    // A rank alone in having anything has all parts in one place, whatever their position.
  }
};

std::vector<Origin> origins(const Step& s, int rank, int ranks) {
  const std::size_t own = s.counts[static_cast<std::size_t>(rank)];
  std::vector<Origin> list;
  std::size_t at = 0;
  switch (s.collective) {
    case Collective::kBroadcast: return {{s.root, 0, 0, s.total()}};
    case Collective::kScatter: return {{s.root, s.first_of(rank), 0, own}};
    case Collective::kGather:
    case Collective::kAllGather:
      for (int peer = 0; peer < ranks; ++peer)
        list.push_back({peer, 0, s.first_of(peer), s.counts[static_cast<std::size_t>(peer)]});
      return list;
    case Collective::kAllToAll:
      for (int peer = 0; peer < ranks; ++peer) {
        Origin origin{peer, 0, at, s.between(peer, rank)};
        for (int before = 0; before < rank; ++before) origin.first += s.between(peer, before);
        at += origin.count;
        list.push_back(origin);
      }
      return list;
    default: return {};
  }
}

template <typename T>
class TypedCall : public RandomCall {
 public:
  TypedCall(const Communicator& ranks, const Step& step)
      : step_(step),
        ranks_(ranks.size()),
        shape_(step_, ranks.rank(), ranks.size()),
        memory_(ranks.device(), shape_.elements(), step.registered) {}

  Call call() override {
    const Step& s = step_;
    const ConstBuffer in = memory_.buffer(shape_.input.first, shape_.input.count);
    const Buffer out = memory_.buffer(shape_.output.first, shape_.output.count);
    switch (s.collective) {
      case Collective::kAllReduce: return Call::all_reduce(in, out, s.op);
      case Collective::kBroadcast: return Call::broadcast(out, s.root);
      case Collective::kReduce:
        return Call::reduce(in, shape_.is_root ? out : Buffer{}, s.root, s.op);
      case Collective::kBarrier: return Call::barrier();
      default: return call_of_parts(in, out);
    }
  }

  void fill(std::size_t round) override {
    round_ = round;
    memory_.write(0, std::vector<T>(shape_.elements(), static_cast<T>(-7)));
    memory_.write(shape_.input.first, input_of(shape_.rank, 0, shape_.input.count));
  }

  std::string mistake() override {
    const auto result = memory_.read(shape_.output.first, shape_.output.count);
    if (!shape_.in_place() && memory_.read(shape_.input.first, shape_.input.count) !=
                                  input_of(shape_.rank, 0, shape_.input.count))
      return "the input was written to";
    if (reduces(step_.collective)) return wrong_sum(result);
    for (const Origin& from : origins(step_, shape_.rank, ranks_)) {
      const auto want = input_of(from.rank, from.first, from.count);
      if (want.empty() || result.empty()) continue;  // the latter: of a root alone
      if (std::memcmp(result.data() + from.at, want.data(), want.size() * sizeof(T)) != 0)
        return "wrong elements from rank " + std::to_string(from.rank);
    }
    return "";
  }

  std::uint64_t digest() override {
    if (step_.collective != Collective::kAllReduce) return 0;
    const auto result = memory_.read(shape_.output.first, shape_.output.count);
    return mix(step_.first_index + round_) ^
           std::hash<std::string_view>()(
               {reinterpret_cast<const char*>(result.data()), result.size() * sizeof(T)});
  }

 private:
  Call call_of_parts(const ConstBuffer& in, const Buffer& out) {
    const Step& s = step_;
    const Buffer at_root = shape_.is_root ? out : Buffer{};
    const ConstBuffer from_root = shape_.is_root ? in : ConstBuffer{};
    switch (s.collective) {
      case Collective::kAllGather:
        return s.uneven ? Call::all_gather_v(in, out, s.counts) : Call::all_gather(in, out);
      case Collective::kReduceScatter:
        return s.uneven ? Call::reduce_scatter_v(in, out, s.counts, s.op)
                        : Call::reduce_scatter(in, out, s.op);
      case Collective::kGather:
        return s.uneven ? Call::gather_v(in, at_root, s.counts, s.root)
                        : Call::gather(in, at_root, s.root);
      case Collective::kScatter:
        return s.uneven ? Call::scatter_v(from_root, out, s.counts, s.root)
                        : Call::scatter(from_root, out, s.root);
      default: return s.uneven ? all_to_all_v(in, out) : Call::all_to_all(in, out);
    }
  }

  Call all_to_all_v(const ConstBuffer& in, const Buffer& out) {
    std::vector<std::size_t> sent;
    std::vector<std::size_t> received;
    for (int peer = 0; peer < ranks_; ++peer) {
      sent.push_back(step_.between(shape_.rank, peer));
      received.push_back(step_.between(peer, shape_.rank));
    }
    return Call::all_to_all_v(in, sent, out, received);
  }

  std::size_t index(std::size_t element) const {
    return step_.first_index + round_ * 1'000'003 + element;
  }
  std::vector<T> input_of(int rank, std::size_t first, std::size_t count) const {
    std::vector<T> list(count);
    for (std::size_t i = 0; i < count; ++i) list[i] = value<T>(rank, index(first + i), step_.op);
    return list;
  }
  std::string wrong_sum(const std::vector<T>& result) const {
    const std::size_t first =
        step_.collective == Collective::kReduceScatter ? step_.first_of(shape_.rank) : 0;
    const auto at = first_wrong(result.data(), result.size(), ranks_, step_.op, index(first));
    return at < 0 ? "" : "element " + std::to_string(at) + " is wrong";
  }

  Step step_;
  int ranks_;
  Shape shape_;
  Memory<T> memory_;
  std::size_t round_ = 0;
};

}  // namespace

std::unique_ptr<RandomCall> make_call(const Communicator& ranks, const Step& step) {
  switch (step.dtype) {
    case DataType::kF64: return std::make_unique<TypedCall<double>>(ranks, step);
    case DataType::kI32: return std::make_unique<TypedCall<std::int32_t>>(ranks, step);
    case DataType::kU64: return std::make_unique<TypedCall<std::uint64_t>>(ranks, step);
    case DataType::kF16: return std::make_unique<TypedCall<kernels::Half>>(ranks, step);
    case DataType::kBF16: return std::make_unique<TypedCall<kernels::Bfloat>>(ranks, step);
    case DataType::kI8: return std::make_unique<TypedCall<std::int8_t>>(ranks, step);
    case DataType::kU8: return std::make_unique<TypedCall<std::uint8_t>>(ranks, step);
    case DataType::kU32: return std::make_unique<TypedCall<std::uint32_t>>(ranks, step);
    case DataType::kI64: return std::make_unique<TypedCall<std::int64_t>>(ranks, step);
    default: return std::make_unique<TypedCall<float>>(ranks, step);
  }
}

}  // namespace rondo::testing
