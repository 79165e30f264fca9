// This user's program out of the tree registers one of each kind and trains a job built in code.
// Its kinds do the same as kReLU, kSGD, kFixed, kConstant and kBP, so the values must be equal.
//   user_program DATA WORKSPACE        trains on the digits in DATA
//   user_program -conf job.conf ...    is the whole `singa` command
#include <algorithm>
#include <cstdio>
#include <string>

#include "singa/driver/driver.h"
#include "singa/nn/layer.h"
#include "singa/train/algorithm.h"
#include "singa/train/initializer.h"
#include "singa/train/learning_rate.h"
#include "singa/train/updater.h"

namespace {

int layers, updates, rates, fills, batches;

class MyRelu : public singa::Layer {
 public:
  void Setup(const singa::LayerProto&, singa::Declare& declare, singa::Inputs in,
             singa::Outputs out) override {
    declare.Sources(in, 1);
    out[0]->data.SetShape(in[0]->data.shape());
  }
  singa::Traits traits() const override { return {.grad_reads_in = true}; }
  void ComputeFeature(singa::Context&, singa::Phase, singa::Inputs in,
                      singa::Outputs out) override {
    ++layers;
    const float* x = in[0]->data.data();
    for (int64_t i = 0; i < in[0]->data.size(); ++i) out[0]->data.data()[i] = std::max(x[i], 0.f);
  }
  void ComputeGradient(singa::Context&, singa::Inputs in, singa::Outputs out) override {
    const float* x = in[0]->data.data();
    const float* dy = out[0]->grad.data();
    for (int64_t i = 0; i < in[0]->data.size(); ++i) in[0]->grad.data()[i] = x[i] > 0 ? dy[i] : 0.f;
  }
};
SINGA_REGISTER_LAYER(MyRelu, MyRelu);

class MySgd : public singa::Updater {
 public:
  void Update(singa::Context&, const singa::UpdateStep& step, float* w, const float* g,
              std::span<float* const>, int64_t n) override {
    ++updates;
    for (int64_t i = 0; i < n; ++i) w[i] -= step.lr * g[i];
  }
};
SINGA_REGISTER_UPDATER(MySgd, MySgd);

class MyRate : public singa::LearningRate {
 public:
  void Setup(const singa::LRGenProto& conf) override { base_ = conf.base_lr(); }
  float At(int64_t) const override {
    ++rates;
    return base_;
  }

 private:
  float base_ = 0;
};
SINGA_REGISTER_LEARNING_RATE(MyRate, MyRate);

class MyConstant : public singa::Initializer {
 public:
  void Setup(const singa::ParamGenProto& conf) override { value_ = conf.value(); }
  void Fill(singa::Context&, singa::Philox, const singa::Shape& shape, float* data) const override {
    ++fills;
    std::fill_n(data, shape.size(), value_);
  }

 private:
  float value_ = 0;
};
SINGA_REGISTER_INITIALIZER(MyConstant, MyConstant);

class MyBp : public singa::Algorithm {
 public:
  bool forward_backward() const override { return true; }
  void TrainOneBatch(singa::Context& ctx, singa::Net& net,
                     singa::ParamExchange& exchange) override {
    ++batches;
    const int64_t step = ctx.state->step;
    net.BeginStep();
    for (singa::NetNode& node : net.nodes()) {
      for (singa::Param* param : node.declared().params) exchange.Await(param, step);
      net.ComputeFeature(ctx, node, static_cast<singa::Phase>(singa::kTrain | singa::kForward));
    }
    for (auto node = net.nodes().rbegin(); node != net.nodes().rend(); ++node) {
      net.ComputeGradient(ctx, *node);
      for (singa::Param* param : node->completes) exchange.GradientReady(param, step);
    }
    exchange.Finish(step);
  }
};
SINGA_REGISTER_ALGORITHM(MyBp, MyBp);

singa::LayerProto* AddLayer(singa::JobProto* job, const std::string& name) {
  singa::LayerProto* layer = job->mutable_neuralnet()->add_layer();
  layer->set_name(name);
  return layer;
}

void AddData(singa::JobProto* job, const std::string& stream, int rows, singa::Phase phase) {
  singa::LayerProto* layer = AddLayer(job, "data");
  layer->set_type(singa::kRecordInput);
  layer->add_include(phase);
  singa::StoreProto* store = layer->mutable_store_conf();
  store->set_backend("idx");
  store->set_path(stream + "-images-idx3-ubyte");
  store->set_label_path(stream + "-labels-idx1-ubyte");
  store->add_batchsize(rows);
  store->add_shape(784);
  store->set_std_value(255);
}

void AddDense(singa::JobProto* job, const std::string& name, const std::string& source, int outputs,
              const std::string& number) {
  singa::LayerProto* layer = AddLayer(job, name);
  layer->set_type(singa::kInnerProduct);
  layer->add_srclayers(source);
  layer->mutable_innerproduct_conf()->set_num_output(outputs);
  singa::ParamProto* w = layer->add_param();
  w->set_name("w" + number);
  w->mutable_init()->set_type(singa::kGaussian);
  w->mutable_init()->set_std(0.05f);
  singa::ParamProto* b = layer->add_param();
  b->set_name("b" + number);
  b->mutable_init()->set_user_type("MyConstant");
  b->mutable_init()->set_value(0.25f);
}

singa::JobProto Job(const std::string& data, const std::string& workspace) {
  singa::JobProto job;
  job.set_name("user");
  job.set_train_steps(20);
  job.set_test_freq(20);
  job.set_num_openblas_threads(1);
  job.mutable_train_one_batch()->set_user_alg("MyBp");
  job.mutable_updater()->set_user_type("MySgd");
  job.mutable_updater()->mutable_learning_rate()->set_user_type("MyRate");
  job.mutable_updater()->mutable_learning_rate()->set_base_lr(0.1f);
  AddData(&job, data + "/train", 50, singa::kTrain);
  AddData(&job, data + "/t10k", 100, singa::kTest);
  AddDense(&job, "fc1", "data", 16, "1");
  singa::LayerProto* relu = AddLayer(&job, "relu");
  relu->set_user_type("MyRelu");
  relu->add_srclayers("fc1");
  AddDense(&job, "fc2", "relu", 10, "2");
  singa::LayerProto* loss = AddLayer(&job, "loss");
  loss->set_type(singa::kSoftmaxLoss);
  loss->add_srclayers("fc2");
  loss->add_srclayers("data");
  job.mutable_cluster()->set_workspace(workspace);
  return job;
}

}  // namespace

int main(int argc, char** argv) {
  singa::Driver driver;
  if (argc > 1 && argv[1][0] == '-') return driver.Main(argc, argv);
  singa::JobProto job = Job(argv[1], argv[2]);
  const int code = driver.Train(job);
  std::printf("layers %d updates %d rates %d fills %d batches %d\n", layers, updates, rates, fills,
              batches);
  job.mutable_neuralnet()->mutable_layer(2)->mutable_innerproduct_conf()->set_num_output(-1);
  try {
    driver.Train(job);
  } catch (const singa::ConfigError& error) {
    std::printf("%s\n", error.path().c_str());
  }
  return code;
}
