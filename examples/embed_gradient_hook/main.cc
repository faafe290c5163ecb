// How a framework with tensors, a backward pass and processes of its own lets Rondo average its
// gradients while it computes them: buckets in registered memory, started as soon as the last
// gradient of a bucket is there, waited for before the update. All of Rondo is behind the class
// GradientAverage, and that uses the C interface alone.
//
//   embed_gradient_hook 4        four processes, which it starts itself
//
// The framework here fits y = W2 tanh(W1 x) to data of its own on each process, and must end with
// what one process would that has all the data.

#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "rondo/rondo.h"

namespace {

void check(rondo_status status, const char* what) {
  if (status == RONDO_OK) return;
  throw std::runtime_error(std::string(what) + ": " + rondo_last_error()->message);
}

// ---- The framework -----------------------------------------------------------------------------

struct Parameter {
  std::vector<double> value;
  double* gradient = nullptr;  ///< wherever somebody wants it
};

constexpr int kInputs = 6;
constexpr int kHidden = 5;
constexpr int kSamples = 24;  ///< of all processes together

/// Tells whoever wants to know that a parameter's gradient is complete.
using Hook = std::function<void(int parameter)>;

class Model {
 public:
  Model() : parameters_(2) {
    parameters_[0].value.resize(kHidden * kInputs);
    parameters_[1].value.resize(kHidden);
    for (std::size_t i = 0; i < parameters_[0].value.size(); ++i)
      parameters_[0].value[i] = std::sin(static_cast<double>(3 * i + 1)) / 2;
    for (std::size_t i = 0; i < kHidden; ++i)
      parameters_[1].value[i] = std::cos(static_cast<double>(i));
  }

  std::vector<Parameter>& parameters() { return parameters_; }

  /// Gradients of the mean loss over samples first, first + step, ...; the last layer's first.
  void backward(int first, int step, const Hook& hook) {
    for (Parameter& parameter : parameters_)
      std::fill_n(parameter.gradient, parameter.value.size(), 0.0);
    std::vector<std::vector<double>> errors;
    for (int sample = first; sample < kSamples; sample += step)
      errors.push_back(last_layer(sample, 1.0 * kSamples / step));
    hook(1);
    std::size_t index = 0;
    for (int sample = first; sample < kSamples; sample += step)
      first_layer(sample, errors[index++]);
    hook(0);
  }

  void update(double rate) {
    for (Parameter& parameter : parameters_) {
      for (std::size_t i = 0; i < parameter.value.size(); ++i)
        parameter.value[i] -= rate * parameter.gradient[i];
    }
  }

 private:
  static double input(int sample, int i) { return std::sin(sample * 1.7 + i * 0.9); }
  static double target(int sample) { return std::cos(sample * 0.6) / 2; }

  std::vector<double> hidden(int sample) const {
    std::vector<double> out(kHidden);
    for (int h = 0; h < kHidden; ++h) {
      double sum = 0;
      for (int i = 0; i < kInputs; ++i) sum += weight(h, i) * input(sample, i);
      out[static_cast<std::size_t>(h)] = std::tanh(sum);
    }
    return out;
  }
  double weight(int h, int i) const {
    return parameters_[0].value[static_cast<std::size_t>(h * kInputs + i)];
  }

  /// What the hidden layer is to change by.
  std::vector<double> last_layer(int sample, double samples) {
    std::vector<double> out = hidden(sample);
    double y = 0;
    for (std::size_t h = 0; h < out.size(); ++h) y += parameters_[1].value[h] * out[h];
    const double error = 2 * (y - target(sample)) / samples;
    std::vector<double> back(out.size());
    for (std::size_t h = 0; h < out.size(); ++h) {
      parameters_[1].gradient[h] += error * out[h];
      back[h] = error * parameters_[1].value[h] * (1 - out[h] * out[h]);
    }
    return back;
  }

  void first_layer(int sample, const std::vector<double>& errors) {
    for (int h = 0; h < kHidden; ++h) {
      for (int i = 0; i < kInputs; ++i) {
        parameters_[0].gradient[h * kInputs + i] +=
            errors[static_cast<std::size_t>(h)] * input(sample, i);
      }
    }
  }

  std::vector<Parameter> parameters_;
};

// ---- Rondo behind it ---------------------------------------------------------------------------

/// One bucket a parameter. (A framework with many small ones puts several into one.)
class GradientAverage {
 public:
  GradientAverage(const rondo_unique_id& id, int process, int processes, Model& model) {
    check(rondo_create_by_id(&id, process, processes, nullptr, &world_), "join");
    for (Parameter& parameter : model.parameters()) {
      Bucket& bucket = buckets_.emplace_back();
      bucket.count = parameter.value.size();
      void* data = nullptr;
      check(rondo_allocate(bucket.count * sizeof(double), &bucket.memory, &data), "allocate");
      parameter.gradient = bucket.data = static_cast<double*>(data);
    }
  }
  ~GradientAverage() {
    for (Bucket& bucket : buckets_) {
      rondo_work_release(bucket.work);
      rondo_free(bucket.memory);
    }
    rondo_destroy(world_);
  }
  GradientAverage(const GradientAverage&) = delete;
  GradientAverage& operator=(const GradientAverage&) = delete;

  /// The hook: every process's gradients come in the same order.
  void complete(int parameter) {
    Bucket& bucket = buckets_[static_cast<std::size_t>(parameter)];
    rondo_call call = RONDO_CALL_INIT;
    call.kind = RONDO_ALL_REDUCE;
    call.type = RONDO_F64;
    call.op = RONDO_AVG;
    call.input = call.output = bucket.data;
    call.input_count = call.output_count = bucket.count;
    call.timeout_ms = 30'000;  // a process that died is named, not waited for
    check(rondo_start(world_, &call, &bucket.work), "start");
  }

  /// Before the update.
  void wait() {
    for (Bucket& bucket : buckets_) {
      check(rondo_work_wait(bucket.work), "average");
      rondo_work_release(bucket.work);
      bucket.work = nullptr;
    }
  }

 private:
  struct Bucket {
    rondo_memory* memory = nullptr;
    double* data = nullptr;
    std::size_t count = 0;
    rondo_work* work = nullptr;
  };
  rondo_communicator* world_ = nullptr;
  std::vector<Bucket> buckets_;
};

// ---- Processes ---------------------------------------------------------------------------------

constexpr int kSteps = 200;
constexpr double kRate = 0.3;

std::vector<double> train_alone() {
  Model model;
  std::vector<std::vector<double>> gradients;
  for (Parameter& parameter : model.parameters()) gradients.emplace_back(parameter.value.size());
  for (std::size_t i = 0; i < gradients.size(); ++i)
    model.parameters()[i].gradient = gradients[i].data();
  for (int step = 0; step < kSteps; ++step) {
    model.backward(0, 1, [](int) {});
    model.update(kRate);
  }
  std::vector<double> all = model.parameters()[0].value;
  all.insert(all.end(), model.parameters()[1].value.begin(), model.parameters()[1].value.end());
  return all;
}

std::vector<double> train_together(const rondo_unique_id& id, int process, int processes) {
  Model model;
  GradientAverage average(id, process, processes, model);
  for (int step = 0; step < kSteps; ++step) {
    model.backward(process, processes, [&](int parameter) { average.complete(parameter); });
    average.wait();
    model.update(kRate);
  }
  std::vector<double> all = model.parameters()[0].value;
  all.insert(all.end(), model.parameters()[1].value.begin(), model.parameters()[1].value.end());
  return all;
}

int run_process(const rondo_unique_id& id, int process, int processes) {
  try {
    const std::vector<double> alone = train_alone();
    const std::vector<double> together = train_together(id, process, processes);
    double farthest = 0;
    for (std::size_t i = 0; i < alone.size(); ++i)
      farthest = std::max(farthest, std::abs(alone[i] - together[i]));
    if (process == 0) {
      std::printf("%d processes, %d steps: %s what one process with all data has\n", processes,
                  kSteps, farthest < 1e-12 ? "the same as" : "other than");
    }
    return farthest < 1e-12 ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "process %d: %s\n", process, error.what());
    return 1;
  }
}

int run_child(int channel, int process, int processes) {
  rondo_unique_id id;
  if (read(channel, &id, sizeof id) != sizeof id) return 1;
  return run_process(id, process, processes);
}

}  // namespace

int main(int argc, char** argv) {
  const int processes = argc == 2 ? std::atoi(argv[1]) : 0;
  if (processes < 1 || kSamples % processes != 0) {
    std::fprintf(stderr, "usage: embed_gradient_hook PROCESSES (a divisor of %d)\n", kSamples);
    return 2;
  }
  // The framework's own channel to its processes; process 0 makes the id and hands it out.
  std::vector<pid_t> children;
  std::vector<int> channels;
  for (int process = 1; process < processes; ++process) {
    int ends[2];
    if (pipe(ends) != 0) return 1;
    const pid_t child = fork();
    if (child == 0) _exit(run_child(ends[0], process, processes));
    close(ends[0]);
    children.push_back(child);
    channels.push_back(ends[1]);
  }
  rondo_unique_id id;
  const bool made = rondo_make_unique_id("127.0.0.1", &id) == RONDO_OK;
  if (!made) std::fprintf(stderr, "no unique id: %s\n", rondo_last_error()->message);
  bool failed = !made;
  for (const int channel : channels) {
    if (made) failed |= write(channel, &id, sizeof id) != sizeof id;
    close(channel);  // one that gets no id ends
  }
  if (made) failed |= run_process(id, 0, processes) != 0;
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) failed = true;
  }
  return failed ? 1 : 0;
}
