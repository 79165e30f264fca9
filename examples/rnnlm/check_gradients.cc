// check_gradients: the gradients of kEmbedding, kHidden and kLoss against central differences, for
// windows of every length. Prints a line a layer; exits 1 where one is wrong. Any layer can be
// checked so: its ports and params are made as a net would make them.
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rnnlm.pb.h"
#include "singa/nn/layer.h"
#include "words.h"

namespace {

using rnnlm::kColumns;
using singa::Tensor;

constexpr int kWindow = 4, kDim = 3, kVocabulary = 9, kClasses = 3;
constexpr int kClassStart[] = {0, 1, 4, kVocabulary};  // of each class, and the end

void Fill(const char* purpose, Tensor* tensor) {
  const singa::Philox random = {1, singa::HashName(purpose), 0};
  for (int64_t i = 0; i < tensor->size(); ++i) tensor->data()[i] = random.Uniform(i) - 0.5f;
}

// A param's gradient in pieces of two rows.
class Pieces final : public singa::GradientSink {
 public:
  explicit Pieces(singa::Context* ctx) : ctx_(ctx) {}
  void Consume(singa::Param* param, const singa::GradientRows& rows) override {
    const int64_t n = param->shape()[0], columns = param->size() / n;
    gradient = Tensor::Allocate(param->shape());
    for (int64_t i = 0; i < n; i += 2)
      rows(*ctx_, i, std::min<int64_t>(2, n - i), gradient.data() + i * columns);
  }
  Tensor gradient;

 private:
  singa::Context* ctx_;
};

// One layer with all that it works on. Its objective: a loss's first metric, or else the sum of its
// feature by random numbers, up to the window's end.
class Checked {
 public:
  Checked(const std::string& text, const std::vector<singa::Shape>& sources, int words_at) {
    google::protobuf::TextFormat::ParseFromString("name: 'layer' " + text, &conf_);
    ctx_.state = &state_;
    for (const singa::Shape& shape : sources) {
      singa::Port& port = ports_.emplace_back();
      port.data = Tensor::Allocate(shape);
      port.grad = Tensor::Allocate(shape);
      port.span = {.first = 0, .rows = 1, .batch = 1};
      Fill("source", &port.data);
      in_.push_back(&port);
    }
    if (words_at >= 0) in_[words_at]->grad = Tensor();
    out_.push_back(&ports_.emplace_back());
    declare_ = std::make_unique<singa::Declare>(conf_, &table_);
    layer_ = singa::MakeLayer(conf_);
    layer_->Setup(conf_, *declare_, in_, out_);
    layer_->Prepare(ctx_, *declare_, in_, out_);
    Allocate();
  }

  Tensor* source(int i) { return &in_[i]->data; }

  // The largest difference, in tolerances, of all gradients for a window of n words.
  double Check(int n) {
    Fill("feature", &out_[0]->grad);
    std::fill(out_[0]->grad.data() + n * out_[0]->grad.row_size(),
              out_[0]->grad.data() + out_[0]->grad.size(), 0);
    double worst = 0;
    for (singa::Param* param : declare_->declared().params) {  // adds to what is there
      Fill("before", &param->grad);
      param->BeginStep();
      param->CountContribution();
    }
    Objective();
    layer_->ComputeGradient(ctx_, in_, out_);
    for (singa::Param* param : declare_->declared().params) {
      Tensor before = Tensor::Allocate(param->shape());
      Fill("before", &before);
      for (int64_t i = 0; i < param->size(); ++i) param->grad.data()[i] -= before.data()[i];
      worst = std::max(worst, Worst(&param->data, param->grad));
    }
    for (singa::Port* port : in_)
      if (!port->grad.empty()) worst = std::max(worst, Worst(&port->data, port->grad));
    return std::max(worst, InPieces());
  }

 private:
  void Allocate() {
    out_[0]->data = Tensor::Allocate(out_[0]->data.shape());
    out_[0]->grad = Tensor::Allocate(out_[0]->data.shape());
    for (const auto& param : table_.params()) {
      param->data = Tensor::Allocate(param->shape());
      param->grad = Tensor::Allocate(param->shape());
      Fill(param->name().c_str(), &param->data);
    }
    for (singa::Buffer& buffer : declare_->declared().buffers)
      buffer.tensor = Tensor::Allocate(buffer.tensor.shape(), buffer.tensor.type());
    for (singa::Metric& metric : declare_->declared().metrics)
      metric.cell = Tensor::Allocate(metric.cell.shape(), metric.cell.type());
    scratch_ = Tensor::Allocate({declare_->declared().scratch + 1}, singa::DType::kU8);
    ctx_.scratch = scratch_.as<void>();
  }

  double Objective() {
    layer_->ComputeFeature(ctx_, singa::kTrain, in_, out_);
    if (!declare_->declared().metrics.empty()) {
      double* cell = declare_->declared().metrics[0].cell.as<double>();
      return std::exchange(cell[0], 0);
    }
    double sum = 0;
    for (int64_t i = 0; i < out_[0]->data.size(); ++i)
      sum += out_[0]->data.data()[i] * out_[0]->grad.data()[i];
    return sum;
  }

  // Of `x`, whose gradient is `found`.
  double Worst(Tensor* x, const Tensor& found) {
    constexpr double kStep = 1e-2, kRelative = 2e-3, kAbsolute = 1e-5;
    double worst = 0;
    for (int64_t i = 0; i < x->size(); ++i) {
      const float kept = x->data()[i];
      x->data()[i] = static_cast<float>(kept + kStep);
      const double above = Objective();
      x->data()[i] = static_cast<float>(kept - kStep);
      const double wanted = (above - Objective()) / (2 * kStep);
      x->data()[i] = kept;
      const double tolerance = kAbsolute + kRelative * std::max(std::abs(wanted), 0.1);
      worst = std::max(worst, std::abs(found.data()[i] - wanted) / tolerance);
    }
    return worst;
  }

  // Whether a gradient in pieces is the whole one.
  double InPieces() {
    double worst = 0;
    for (singa::Param* param : declare_->declared().in_pieces) {
      Pieces pieces(&ctx_);
      param->sink = &pieces;
      Tensor whole = param->grad;
      param->grad = Tensor();
      Objective();
      layer_->ComputeGradient(ctx_, in_, out_);
      param->sink = nullptr;
      param->grad = whole;
      for (int64_t i = 0; i < param->size(); ++i)
        worst = std::max(worst, std::abs(pieces.gradient.data()[i] - whole.data()[i]) / 1e-5);
    }
    return worst;
  }

  singa::LayerProto conf_;
  singa::StepState state_;
  singa::Context ctx_;
  singa::ParamTable table_;
  std::deque<singa::Port> ports_;
  std::vector<singa::Port*> in_, out_;
  std::unique_ptr<singa::Declare> declare_;
  std::unique_ptr<singa::Layer> layer_;
  Tensor scratch_;
};

// A window of n words, one of them twice where there are as many.
void SetWindow(int n, Tensor* words) {
  std::fill_n(words->data(), words->size(), rnnlm::kNoWord);
  constexpr int kWords[] = {2, 0, 6, 2, 8};
  for (int t = 0; t <= n; ++t) {
    const int word = kWords[t], c = word < kClassStart[1] ? 0 : word < kClassStart[2] ? 1 : 2;
    const float row[kColumns] = {float(word), float(c), float(kClassStart[c]),
                                 float(kClassStart[c + 1])};
    std::copy_n(row, kColumns, words->data() + t * kColumns);
  }
}

bool Report(const char* layer, Checked* checked, int words_at) {
  double worst = 0;
  for (int n = 1; n <= kWindow; ++n) {
    if (words_at >= 0) SetWindow(n, checked->source(words_at));
    worst = std::max(worst, checked->Check(n));
  }
  std::printf("%-4s %-10s gradients within %.2f tolerances\n", worst <= 1 ? "ok" : "FAIL", layer,
              worst);
  return worst <= 1;
}

}  // namespace

int main() {
  const singa::Shape words = {kWindow + 1, kColumns}, features = {kWindow, kDim};
  const std::string sizes = singa::StrCat("vocab_size: ", kVocabulary);
  Checked embedding(singa::StrCat("user_type: 'kEmbedding' srclayers: 'data' [embedding_conf] { ",
                                  "word_dim: ", kDim, " ", sizes, " }"),
                    {words}, 0);
  Checked hidden("user_type: 'kHidden' srclayers: 'embedding'", {features}, -1);
  Checked loss(singa::StrCat("user_type: 'kLoss' srclayers: 'hidden' srclayers: 'data' ",
                             "[loss_conf] { nclass: ", kClasses, " ", sizes, " }"),
               {features, words}, 1);
  const bool right[] = {Report("kEmbedding", &embedding, 0), Report("kHidden", &hidden, -1),
                        Report("kLoss", &loss, 1)};
  return std::all_of(right, right + 3, [](bool r) { return r; }) ? 0 : 1;
}
