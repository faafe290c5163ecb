#pragma once

#include <string>
#include <vector>

#include "rondo/export.h"
#include "rondo/nn/backward.h"
#include "rondo/nn/program.h"

namespace rondo::nn::inline v1 {

/// Turns the loss of a program into training ops. One optimiser belongs to one program.
class RONDO_API Optimizer {
 public:
  virtual ~Optimizer();
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  /// Appends, in this order: backward; the learning rate; one update for each parameter.
  /// State that updates keep (the learning rate too) is persistable, set by the startup program.
  /// Errors: as append_backward.
  std::vector<ParamGrad> minimize(const Var& loss, const BackwardOptions& options = {});

  /// The variable, one number, that updates read the learning rate from: give it another value to
  /// change the rate between runs. None before `minimize`.
  Var learning_rate() const { return learning_rate_var_; }

 protected:
  explicit Optimizer(double learning_rate);

  /// The update of one parameter by its gradient; `rate` is the parameter's own rate.
  virtual Op update_op(const ParamGrad& pair, const Var& rate) = 0;

  /// A persistable variable with the parameter's shape, 0 at first: <parameter>_<role>_0.
  Var create_accumulator(const Var& param, const std::string& role);

 private:
  void create_learning_rate(DataType dtype);
  Var rate_of(const Var& param);

  double learning_rate_;
  Var learning_rate_var_;
};

/// p <- p - rate * grad.
class RONDO_API SGD final : public Optimizer {
 public:
  explicit SGD(double learning_rate);

 private:
  Op update_op(const ParamGrad& pair, const Var& rate) override;
};

/// v <- momentum * v + grad;  p <- p - rate * v.
/// With Nesterov: p <- p - rate * (grad + momentum * v).
class RONDO_API Momentum final : public Optimizer {
 public:
  Momentum(double learning_rate, double momentum, bool use_nesterov = false);

 private:
  Op update_op(const ParamGrad& pair, const Var& rate) override;
  double momentum_;
  bool use_nesterov_;
};

}  // namespace rondo::nn::inline v1
