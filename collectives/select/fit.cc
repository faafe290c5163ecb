#include "collectives/select/fit.h"

#include <cmath>
#include <functional>
#include <vector>

namespace rondo::select {
namespace {

using simulate::HostGroup;
using simulate::Link;
using simulate::MessageCost;
using simulate::Network;

/// One constant, or several that are taken as one; multiplied by a factor.
using Parameter = std::function<void(Network&, double factor)>;

void add_work(std::vector<Parameter>& parameters) {
  parameters.emplace_back([](Network& network, double factor) { network.work.call_us *= factor; });
  parameters.emplace_back([](Network& network, double factor) {
    network.work.read_us_per_byte *= factor;
    network.work.write_us_per_byte *= factor;
  });
  parameters.push_back(
      [](Network& network, double factor) { network.work.reduce_us_per_byte *= factor; });
  parameters.emplace_back(
      [](Network& network, double factor) { network.work.cache_bytes *= factor; });
  parameters.emplace_back([](Network& network, double factor) {
    network.work.beyond_cache = 1 + (network.work.beyond_cache - 1) * factor;
  });
}

/// Both ends of a message are busy alike: what takes how long there can't be told from outside.
void add_link(std::vector<Parameter>& parameters, Link Network::*link, const Network& network) {
  for (std::size_t range = 0; range < (network.*link).costs.size(); ++range) {
    const auto cost = [link, range](Network& of) -> MessageCost& {
      return (of.*link).costs[range];
    };
    parameters.emplace_back([cost](Network& of, double factor) { cost(of).latency_us *= factor; });
    parameters.emplace_back([cost](Network& of, double factor) {
      cost(of).send_us *= factor;
      cost(of).receive_us *= factor;
    });
    parameters.emplace_back([cost](Network& of, double factor) {
      cost(of).send_us_per_byte *= factor;
      cost(of).receive_us_per_byte *= factor;
    });
  }
}

void add_hosts_links(std::vector<Parameter>& parameters) {
  parameters.emplace_back([](Network& network, double factor) {
    for (HostGroup& group : network.groups) {
      group.up_bytes_per_us *= factor;
      group.down_bytes_per_us *= factor;
    }
  });
}

std::vector<Parameter> parameters_of(const Network& network) {
  std::vector<Parameter> parameters;
  int hosts = 0;
  bool shared = false;
  for (const HostGroup& group : network.groups) {
    hosts += group.hosts;
    shared |= group.ranks > 1;
  }
  if (shared) add_link(parameters, &Network::inside, network);
  if (hosts > 1) {
    add_link(parameters, &Network::between, network);
    add_hosts_links(parameters);
  }
  add_work(parameters);
  return parameters;
}

/// Multiplies by `factor` as often as that helps; whether it did.
bool improve(const Parameter& parameter, double factor, std::span<const TimedRun> runs,
             Network& network, double& least) {
  bool improved = false;
  constexpr int kMostSteps = 8;
  for (int step = 0; step < kMostSteps; ++step) {
    Network changed = network;
    parameter(changed, factor);
    const double value = misfit(changed, runs);
    if (!(value < least * (1 - 1e-3))) return improved;
    network = std::move(changed);
    least = value;
    improved = true;
  }
  return improved;
}

}  // namespace

double misfit(const Network& network, std::span<const TimedRun> runs) {
  double sum = 0;
  for (const TimedRun& run : runs) {
    const auto prediction = predict(run.schedules, network, run.options);
    // What can't be simulated counts as being off by a factor of e.
    sum += prediction.ok() && prediction->us > 0 ? std::abs(std::log(prediction->us / run.us)) : 1;
  }
  return runs.empty() ? 0 : sum / static_cast<double>(runs.size());
}

Network fit(Network network, std::span<const TimedRun> runs) {
  const std::vector<Parameter> parameters = parameters_of(network);
  double least = misfit(network, runs);
  for (const double factor : {3.0, 1.6, 1.2, 1.07}) {
    constexpr int kMostRounds = 3;
    bool improved = true;
    for (int round = 0; improved && round < kMostRounds; ++round) {
      improved = false;
      for (const Parameter& parameter : parameters) {
        improved |= improve(parameter, factor, runs, network, least) ||
                    improve(parameter, 1 / factor, runs, network, least);
      }
    }
  }
  return network;
}

}  // namespace rondo::select
