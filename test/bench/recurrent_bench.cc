// Measures a step of kGRU, kLSTM and kRNN, forward and backward, ours and by oneDNN's primitives.
// Arguments: inputs, whether a layer below trains, threads. There are 50 steps of 50 rows, and 512
// hidden units. oneDNN's primitives always compute the gradient of the input. Their weights are
// reordered from and to rows of gates side by side once a step, as params would be.
#include <benchmark/benchmark.h>
#include <omp.h>

#include <array>
#include <cstring>
#include <tuple>
#include <unordered_map>

#include "layer_step.h"
#include "math/library/onednn.h"

namespace singa {
namespace {

constexpr int64_t kSteps = 50, kRows = 50, kHidden = 512;

using dnnl::memory;
using Tag = memory::format_tag;
using dnnl::rnn_direction;
constexpr auto kDirection = rnn_direction::unidirectional_left2right;

struct Descs {
  Descs(int64_t inputs, int64_t gates, int64_t biases)
      : x(F32Desc({kSteps, kRows, inputs}, Tag::tnc)),
        y(F32Desc({kSteps, kRows, kHidden}, Tag::tnc)),
        w(F32Desc({1, 1, inputs, gates, kHidden}, Tag::any)),
        u(F32Desc({1, 1, kHidden, gates, kHidden}, Tag::any)),
        b(F32Desc({1, 1, biases, kHidden}, Tag::ldgo)) {}
  memory::desc x, y, w, u, b;
};

// kStates: states of a step. kActivation: the first arguments of a primitive.
struct Gru {
  static constexpr int64_t kGates = 3, kBiases = 4, kStates = 1;
  static constexpr std::tuple<> kActivation = {};
  using Forward = dnnl::lbr_gru_forward;
  using Backward = dnnl::lbr_gru_backward;
};
struct Lstm {
  static constexpr int64_t kGates = 4, kBiases = 4, kStates = 2;
  static constexpr std::tuple<> kActivation = {};
  using Forward = dnnl::lstm_forward;
  using Backward = dnnl::lstm_backward;
};
struct Rnn {
  static constexpr int64_t kGates = 1, kBiases = 1, kStates = 1;
  static constexpr std::tuple kActivation = {dnnl::algorithm::eltwise_tanh};
  using Forward = dnnl::vanilla_rnn_forward;
  using Backward = dnnl::vanilla_rnn_backward;
};

// Returns the tensors of a primitive, or their gradients. There are no states before the first
// step, and none are asked for behind the last.
template <typename Cell>
auto Tensors(const Descs& d) {
  std::array<memory::desc, Cell::kStates> none;
  return std::tuple_cat(std::tuple(d.x), none, std::tuple(d.w, d.u, d.b, d.y), none);
}

template <typename Cell>
typename Cell::Forward::desc ForwardDesc(const Descs& d) {
  return std::make_from_tuple<typename Cell::Forward::desc>(
      std::tuple_cat(std::tuple(dnnl::prop_kind::forward_training), Cell::kActivation,
                     std::tuple(kDirection), Tensors<Cell>(d)));
}

template <typename Cell>
typename Cell::Backward::desc BackwardDesc(const Descs& d) {
  return std::make_from_tuple<typename Cell::Backward::desc>(
      std::tuple_cat(std::tuple(dnnl::prop_kind::backward), Cell::kActivation,
                     std::tuple(kDirection), Tensors<Cell>(d), Tensors<Cell>(d)));
}

template <typename Cell>
class Theirs {
 public:
  explicit Theirs(int64_t inputs)
      : d_(inputs, Cell::kGates, Cell::kBiases),
        forward_pd_(ForwardDesc<Cell>(d_), engine_),
        backward_pd_(BackwardDesc<Cell>(d_), engine_, forward_pd_),
        forward_(forward_pd_),
        backward_(backward_pd_),
        w_(F32Desc({1, 1, inputs, Cell::kGates, kHidden}, Tag::ldgoi), engine_),
        u_(F32Desc({1, 1, kHidden, Cell::kGates, kHidden}, Tag::ldgoi), engine_),
        dw_(w_.get_desc(), engine_),
        du_(u_.get_desc(), engine_) {
    for (auto [arg, desc] : {std::pair{DNNL_ARG_SRC_LAYER, d_.x},
                             {DNNL_ARG_BIAS, d_.b},
                             {DNNL_ARG_DST_LAYER, d_.y},
                             {DNNL_ARG_WORKSPACE, forward_pd_.workspace_desc()},
                             {DNNL_ARG_WEIGHTS_LAYER, forward_pd_.weights_layer_desc()},
                             {DNNL_ARG_WEIGHTS_ITER, forward_pd_.weights_iter_desc()}})
      AddTo(&forward_args_, arg, desc);
    backward_args_ = forward_args_;
    for (auto [arg, desc] : {std::pair{DNNL_ARG_WEIGHTS_LAYER, backward_pd_.weights_layer_desc()},
                             {DNNL_ARG_WEIGHTS_ITER, backward_pd_.weights_iter_desc()},
                             {DNNL_ARG_DIFF_SRC_LAYER, d_.x},
                             {DNNL_ARG_DIFF_BIAS, d_.b},
                             {DNNL_ARG_DIFF_DST_LAYER, d_.y},
                             {DNNL_ARG_DIFF_WEIGHTS_LAYER, backward_pd_.diff_weights_layer_desc()},
                             {DNNL_ARG_DIFF_WEIGHTS_ITER, backward_pd_.diff_weights_iter_desc()}})
      AddTo(&backward_args_, arg, desc);
  }

  void Forward() {
    Reorder(w_, forward_args_.at(DNNL_ARG_WEIGHTS_LAYER));
    Reorder(u_, forward_args_.at(DNNL_ARG_WEIGHTS_ITER));
    forward_.execute(stream_, forward_args_);
  }
  void Backward() {
    Reorder(w_, backward_args_.at(DNNL_ARG_WEIGHTS_LAYER));
    Reorder(u_, backward_args_.at(DNNL_ARG_WEIGHTS_ITER));
    for (int arg : {DNNL_ARG_DIFF_WEIGHTS_LAYER, DNNL_ARG_DIFF_WEIGHTS_ITER, DNNL_ARG_DIFF_BIAS}) {
      const memory& gradient = backward_args_.at(arg);  // the primitive adds to it
      std::memset(gradient.get_data_handle(), 0, gradient.get_desc().get_size());
    }
    backward_.execute(stream_, backward_args_);
    Reorder(backward_args_.at(DNNL_ARG_DIFF_WEIGHTS_LAYER), dw_);
    Reorder(backward_args_.at(DNNL_ARG_DIFF_WEIGHTS_ITER), du_);
  }

 private:
  using Args = std::unordered_map<int, memory>;
  void AddTo(Args* args, int arg, const memory::desc& desc) {
    memory made(desc, engine_);
    const auto n = static_cast<int64_t>(desc.get_size() / sizeof(float));
    for (int64_t i = 0; i < n; ++i)
      static_cast<float*>(made.get_data_handle())[i] =
          static_cast<float>(i * 7919 % 1001 - 500) / 10000;
    (*args)[arg] = made;
  }
  void Reorder(memory from, memory to) { dnnl::reorder(from, to).execute(stream_, from, to); }

  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
  Descs d_;
  typename Cell::Forward::primitive_desc forward_pd_;
  typename Cell::Backward::primitive_desc backward_pd_;
  typename Cell::Forward forward_;
  typename Cell::Backward backward_;
  memory w_, u_, dw_, du_;
  Args forward_args_, backward_args_;
};

void RunOurs(benchmark::State& state, const char* type, int params) {
  omp_set_num_threads(static_cast<int>(state.range(2)));
  std::string conf = StrCat("name: 'layer' unroll_len: ", kSteps, " ", type);
  for (int i = 0; i < params; ++i) conf += " param {}";
  LayerStep layer(conf, {kSteps, kRows, state.range(0)}, state.range(1) != 0,
                  static_cast<int>(state.range(2)));
  for (auto _ : state) {
    layer.Forward();
    layer.Backward();
  }
  state.counters["flops"] = layer.flops();
}

template <typename Cell>
void RunTheirs(benchmark::State& state) {
  omp_set_num_threads(static_cast<int>(state.range(2)));
  Theirs<Cell> cell(state.range(0));
  for (auto _ : state) {
    cell.Forward();
    cell.Backward();
  }
}

void Cases(benchmark::internal::Benchmark* bench) {
  for (int64_t threads : {1, 2})
    for (int64_t below : {0, 1}) bench->Args({below ? 512 : 101, below, threads});
  bench->UseRealTime()->Unit(benchmark::kMillisecond);
}

BENCHMARK_CAPTURE(RunOurs, gru, "type: kGRU gru_conf { dim_hidden: 512 }", 9)->Apply(Cases);
BENCHMARK(RunTheirs<Gru>)->Apply(Cases);
BENCHMARK_CAPTURE(RunOurs, lstm, "type: kLSTM lstm_conf { dim_hidden: 512 }", 12)->Apply(Cases);
BENCHMARK(RunTheirs<Lstm>)->Apply(Cases);
BENCHMARK_CAPTURE(RunOurs, rnn, "type: kRNN rnn_conf { dim_hidden: 512 }", 3)->Apply(Cases);
BENCHMARK(RunTheirs<Rnn>)->Apply(Cases);

}  // namespace
}  // namespace singa
