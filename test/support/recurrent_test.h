// RecurrentTest is the common fixture of the tests of kGRU, kLSTM and kRNN.
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/layer_test.h"
#include "support/random_values.h"

namespace singa {

// Golden holds numbers of tool/golden/recurrent.py: 2 rows of 3 numbers, 2 hidden units, patterns
// for all values. Beyond 3 steps y is the last state, and dx is the first step's alone.
struct Golden {
  Values y, dx, dh0;
  std::vector<Values> params;
};

// Makes a layer's conf: `type` ("kGRU"), `field` ("gru_conf") with `settings`, and `params` params.
inline std::string RecurrentConf(const std::string& type, const std::string& field,
                                 const std::string& settings, int params, int steps = 1) {
  std::string conf =
      StrCat("type: ", type, " unroll_len: ", steps, " ", field, " { ", settings, " }");
  for (int i = 0; i < params; ++i) conf += " param {}";
  return conf;
}

class RecurrentTest : public LayerTest {
 protected:
  // `conf` must have 2 hidden units.
  void ExpectEqualsPyTorch(const std::string& conf, int64_t steps, const Golden& want) {
    RunOptions options;
    for (size_t i = 0; i < want.params.size(); ++i)
      options.params[std::to_string(i)] =
          Pattern(static_cast<int64_t>(want.params[i].size()), static_cast<int64_t>(i) + 1);
    const Shape x = steps > 1 ? Shape{steps, 2, 3} : Shape{2, 3};
    const RunResult run = Gradients(
        conf,
        {{.shape = x, .data = Pattern(steps * 6, 7)}, {.shape = {2, 2}, .data = Pattern(4, 3)}},
        {Pattern(steps * 4, 2)}, options);
    const Values& y = run.outputs[0];
    const Values& dx = run.input_grads[0];
    const auto size = static_cast<int64_t>(want.dx.size());
    ExpectNear(Values(y.end() - static_cast<int64_t>(want.y.size()), y.end()), want.y, 1e-5);
    ExpectNear(Values(dx.begin(), dx.begin() + size), want.dx, 1e-5);
    ExpectNear(run.input_grads[1], want.dh0, 1e-5);
    for (size_t i = 0; i < want.params.size(); ++i) {
      SCOPED_TRACE(StrCat("param ", i));
      ExpectNear(run.param_grads[i], want.params[i], 1e-5);
    }
  }

  // `conf` must have 70 hidden units and 4 steps. That is wide enough for vectors with a rest, and
  // for threads.
  void ExpectPlainAndFastAgree(const std::string& conf) {
    const std::vector<Input> inputs = {{.shape = {4, 300, 33}}, {.shape = {300, 70}}};
    const std::vector<Values> dy = {RandomValues("dy", 4 * 300 * 70)};
    ctx_.threads = 2;
    ctx_.plain = true;
    const RunResult want = Gradients(conf, inputs, dy);
    ctx_.plain = false;
    const RunResult got = Gradients(conf, inputs, dy);
    ExpectNear(got.outputs[0], want.outputs[0], 1e-5);
    for (size_t i = 0; i < want.input_grads.size(); ++i)
      ExpectNear(got.input_grads[i], want.input_grads[i], 1e-4);
    for (size_t i = 0; i < want.param_grads.size(); ++i)
      ExpectNear(got.param_grads[i], want.param_grads[i], 2e-4);  // sums over 1200 rows
  }

  // `conf(steps)` must have 3 hidden units and carry_state. Expects that two passes of 2 steps
  // equal one of 4.
  template <typename Conf>
  void ExpectCarriesItsState(const Conf& conf, Phase phase) {
    const Values x = RandomValues("x", 4 * 2 * 5);
    const Values whole = Feature(conf(4), {{.shape = {4, 2, 5}, .data = x}}, {.phase = phase});
    const auto layer = Build(conf(2), std::vector<Input>{{.shape = {2, 2, 5}}});
    Values halves;
    for (int half = 0; half < 2; ++half) {
      layer->SetInput(0, Values(x.begin() + half * 20, x.begin() + (half + 1) * 20));
      layer->BeginStep(half);
      layer->Forward(phase);
      const Values y = layer->Output();
      halves.insert(halves.end(), y.begin(), y.end());
    }
    ExpectNear(halves, whole, 1e-6);
    layer->layer().BeginPass(layer->ctx(), 0);
    layer->SetInput(0, Values(x.begin(), x.begin() + 20));
    layer->BeginStep(2);
    layer->Forward(phase);
    ExpectNear(layer->Output(), Values(whole.begin(), whole.begin() + 12), 1e-6);
  }

  // `conf(carry_state)` must have 3 hidden units and `steps` steps. Expects that a batch that
  // begins with a carried state has the gradient of one that begins with that state as an input.
  template <typename Conf>
  void ExpectNoGradientThroughTheCarriedState(const Conf& conf, int64_t steps) {
    const Values dy = RandomValues("dy", steps * 6);
    const Shape x = steps > 1 ? Shape{steps, 2, 5} : Shape{2, 5};
    const auto carries = Build(conf(true), std::vector<Input>{{.shape = x}});
    carries->BeginStep(0);
    carries->Forward(kTrain);
    std::vector<Input> inputs = {{.shape = x}};
    for (int k = 0; k < carries->num_outputs(); ++k) {
      const Values y = carries->Output(k);
      inputs.push_back({.shape = {2, 3}, .data = {y.end() - 6, y.end()}});
    }
    carries->BeginStep(1);
    carries->Forward(kTrain);
    carries->Backward({dy});
    const auto given = Build(conf(false), inputs);
    given->BeginStep(0);
    given->Forward(kTrain);
    given->Backward({dy});
    ExpectNear(carries->InputGradient(), given->InputGradient(), 1e-6);
    for (size_t i = 0; i < given->declare().declared().params.size(); ++i)
      ExpectNear(carries->ParamGradient(static_cast<int>(i)),
                 given->ParamGradient(static_cast<int>(i)), 1e-6);
  }
};

}  // namespace singa
