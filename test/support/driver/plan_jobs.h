// Jobs and machines for tests of plans.
#pragma once

#include <string>

#include "driver/plan/plan_cluster.h"
#include "singa/proto/machine.pb.h"
#include "support/driver/conf_findings.h"

namespace singa {

// An image net: a convolution, a ReLU, pooling and two inner products. The batch has 12 rows.
inline JobProto ImageJob(const std::string& more = "") {
  return JobOfText(R"(
    name: "plan" train_steps: 1 train_one_batch { alg: kBP }
    updater { type: kSGD learning_rate { type: kFixed base_lr: 0.1 } }
    neuralnet {
      layer { name: "data" type: kRecordInput store_conf { backend: "synthetic" batchsize: 12
              shape: 3 shape: 8 shape: 8 synthetic_conf { records: 24 classes: 4 } } }
      layer { name: "conv" type: kConvolution srclayers: "data"
              convolution_conf { num_filters: 6 kernel: 3 pad: 1 }
              param { name: "w0" init { type: kGaussian std: 0.1 } }
              param { name: "b0" init { type: kConstant } } }
      layer { name: "relu" type: kReLU srclayers: "conv" }
      layer { name: "pool" type: kPooling srclayers: "relu"
              pooling_conf { pool: MAX kernel: 2 stride: 2 } }
      layer { name: "fc1" type: kInnerProduct srclayers: "pool" innerproduct_conf { num_output: 40 }
              param { name: "w1" init { type: kGaussian std: 0.1 } }
              param { name: "b1" init { type: kConstant } } }
      layer { name: "fc2" type: kInnerProduct srclayers: "fc1" innerproduct_conf { num_output: 4 }
              param { name: "w2" init { type: kGaussian std: 0.1 } }
              param { name: "b2" init { type: kConstant } } }
      layer { name: "loss" type: kSoftmaxLoss srclayers: "fc2" srclayers: "data" }
    } )" + more);
}

inline PlanCluster WorkersOn(int workers, int hosts = 1) {
  PlanCluster cluster;
  cluster.workers = workers;
  cluster.hosts = hosts;
  cluster.cores = cluster.here();
  return cluster;
}

inline MachineProto SmallMachine() {
  MachineProto machine;
  machine.set_gflops(100);
  machine.set_gb_per_s(10);
  machine.set_call_us(0);
  return machine;
}

}  // namespace singa
