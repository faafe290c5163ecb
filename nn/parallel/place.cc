#include "nn/parallel/place.h"

#include "nn/ops/gradient.h"
#include "nn/parallel/feed_split.h"
#include "nn/parallel/first_values.h"

namespace rondo::nn {
namespace {

template <typename T>
void scale(const Tensor& tensor, double factor) {
  T* data = tensor.data<T>();
  for (std::int64_t i = 0; i < tensor.count(); ++i) {
    data[i] = static_cast<T>(static_cast<double>(data[i]) * factor);
  }
}

// Calls `work`, and tells the peers of what it throws.
template <typename Work>
auto or_abort(Communicator& communicator, const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    communicator.abort(error);
    throw;
  } catch (const std::exception& error) {
    communicator.abort(Error(ErrorCode::kInternal, error.what()));
    throw;
  }
}

}  // namespace

Place::Place(const ParallelJob& job, Communicator& communicator, Scope& scope)
    : job_(job),
      communicator_(communicator),
      scope_(scope),
      runner_(job.options.executor),
      buckets_(plan_buckets(job.program.global_block(), job.options.bucket_bytes)) {
  runner_.pin(buckets_.tensors());
}

void Place::start() {
  or_abort(communicator_, [this] {
    agree_on_program(job_.program, scope_, communicator_);
    broadcast_persistables(job_.program, scope_, communicator_);
  });
}

bool Place::feeds_loss_gradient() const {
  return !job_.loss.empty() && job_.options.gradient_scale == GradientScale::kCoeffNumDevice;
}

// This rank's samples / all ranks' samples.
double Place::share_of_batch(const Feed& feed) {
  if (job_.options.equal_shards) return 1.0 / communicator_.size();
  const std::int64_t own = value_or_throw(samples_in(job_.program.global_block(), feed));
  std::int64_t all = own;
  communicator_.all_reduce(Buffer(&all, 1));
  return static_cast<double>(own) / static_cast<double>(all);
}

Tensor Place::loss_gradient(double share) const {
  const DataType dtype = job_.program.global_block().find_desc(job_.loss)->dtype;
  if (dtype == DataType::kF64) return Tensor::from<double>({share}, {1});
  return Tensor::from<float>({static_cast<float>(share)}, {1});
}

void Place::mean_over_ranks(Tensor& value, double share) {
  switch (value.dtype()) {
    case DataType::kF32: scale<float>(value, share); break;
    case DataType::kF64: scale<double>(value, share); break;
    default: throw Error(ErrorCode::kInternal, "a mean of what isn't floating-point");
  }
  communicator_.all_reduce(
      Buffer{value.data(), static_cast<std::size_t>(value.count()), value.dtype()});
}

std::vector<Tensor> Place::run(const Feed& feed, const std::vector<VarName>& fetch,
                               FetchMode mode) {
  return or_abort(communicator_, [&] { return run_step(feed, fetch, mode); });
}

std::vector<Tensor> Place::run_step(const Feed& feed, const std::vector<VarName>& fetch,
                                    FetchMode mode) {
  Feed local = feed;
  double share = 1.0;
  if (feeds_loss_gradient() || mode == FetchMode::kMean) share = share_of_batch(feed);
  if (feeds_loss_gradient()) local[grad_name(job_.loss)] = loss_gradient(share);
  buckets_.start();
  communication_error_ = nullptr;
  // The communicator throws, the list of ops doesn't: the error waits here until it has stopped.
  const auto hook = [&](std::size_t op) -> Status {
    try {
      buckets_.after_op(op, communicator_);
      return {};
    } catch (...) {
      communication_error_ = std::current_exception();
      return Status(ErrorCode::kInternal, "a gradient bucket could not be summed");
    }
  };
  auto results = runner_.run(job_.program, local, fetch, scope_, hook);
  if (communication_error_) std::rethrow_exception(communication_error_);
  std::vector<Tensor> values = value_or_throw(std::move(results));
  if (mode == FetchMode::kMean) {
    for (Tensor& value : values) mean_over_ranks(value, share);
  }
  return values;
}

}  // namespace rondo::nn
