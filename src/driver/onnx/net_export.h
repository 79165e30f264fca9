// ExportNet turns a net of the test phase into an ONNX graph, with the layers that its scores, or
// one layer, depend on.
#pragma once

#include <string>

#include "driver/onnx/onnx_graph.h"
#include "singa/nn/net.h"
#include "singa/proto/net.pb.h"

namespace singa {

// Builds the net to export, in which each layer computes its own feature. Throws ConfigError
// relative to the JobProto.
Net NetToExport(const NetProto& conf, ParamTable* params);

// Exports `net`, made by NetToExport. The outputs are the features of the layer `name`; with "" the
// scores that the net's one loss reads and, for a kSoftmaxLoss or kSigmoidCrossEntropyLoss, the
// probabilities. Throws ConfigError, relative to the JobProto, for a layer that ONNX cannot
// express. Throws Error if there is no such layer, or not exactly one loss. REQUIRES: the params'
// data is bound; the net needs no plan.
OnnxGraph ExportNet(const Net& net, const std::string& name);

}  // namespace singa
