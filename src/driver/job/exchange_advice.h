// ExchangeAdvice says when compressed gradients cost a job more time than whole ones would. Both
// are costed as `singa plan` predicts them (GradientMode), in what a step loses to its exchange:
//   whole:      2 * message + exposed(transfer)
//   compressed: coding + last_messages * message + exposed(share * transfer + work)
// Before the first step the processes measure a sum of as many numbers as a gradient has (whole).
// `transfer` is its time without its two messages. Nothing hides the messages after the last
// gradient. GradientReleases::ExposedMs is the part of a transfer that the backward pass does not
// hide. The share is that of the bytes sent. `coding` is the workers' time, and `work` that of the
// thread which exchanges. Waits are not compared: most of them are for a slower process.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cluster/protocol/process_share.h"
#include "cluster/workers/gradient_releases.h"
#include "comm/collective/link_probe.h"

namespace singa {

class ExchangeAdvice {
 public:
  static constexpr double kSteps = 200;  // that are measured before it says anything
  // A compressed exchange is called slower if it costs so much more, as a share of a step.
  static constexpr double kLeastLoss = 0.01;

  struct Facts {
    std::string mode;        // the name of the compression
    int last_messages = 0;   // ExchangeForm::last_messages of the compression
    SumTimes whole;          // of an exchange of whole gradients
    double whole_bytes = 0;  // that all processes send for them in a step
  };
  explicit ExchangeAdvice(Facts facts) : facts_(std::move(facts)) {}

  // Takes the shares of all processes over the last `steps` steps. Returns the advice once, when it
  // is due.
  std::optional<std::string> Add(const std::vector<ProcessShare>& shares, double steps,
                                 const GradientReleases& releases);
  // Returns whether enough steps were measured.
  bool done() const { return steps_ >= kSteps; }

 private:
  std::optional<std::string> Judge(const GradientReleases& releases) const;

  const Facts facts_;
  // Sums over all steps; steps_ is their number.
  double steps_ = 0, bytes_ = 0, step_ms_ = 0, coding_ms_ = 0, work_ms_ = 0;
};

}  // namespace singa
