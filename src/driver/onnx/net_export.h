// A net of the test phase as an ONNX graph: the layers that its scores, or one layer, depend on.
#pragma once

#include <string>

#include "driver/onnx/onnx_graph.h"
#include "singa/nn/net.h"
#include "singa/proto/net.pb.h"

namespace singa {

// Every layer computes its own feature. Throws ConfigError relative to the JobProto.
Net NetToExport(const NetProto& conf, ParamTable* params);

// `net`: as above. Outputs: the features of the layer `name`; with "", the scores that the net's
// one loss reads and, where that is a kSoftmaxLoss, their softmax. REQUIRES: the params' data is
// bound; the net needs no plan. Throws ConfigError relative to the JobProto: a layer that has no
// form in ONNX. Error: no layer is called so, or there is not one loss.
OnnxGraph ExportNet(const Net& net, const std::string& name);

}  // namespace singa
