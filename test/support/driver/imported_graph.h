// Small ONNX graphs, and what an import makes of them.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "driver/onnx/import/job_import.h"
#include "driver/onnx/onnx_graph.h"
#include "singa/base/error.h"

namespace singa {

// Returns a graph with the input x of these sizes, and the output y.
inline OnnxGraph GraphOf(const OnnxDims& dims) {
  OnnxGraph graph({"x", "y"});
  graph.AddInput("x", dims);
  graph.AddOutput("y", {"N"});
  return graph;
}
inline OnnxGraph PictureGraph() { return GraphOf({"N", 3, 8, 8}); }

// Adds a constant of floats, all with one value. Returns its name.
inline std::string Constant(OnnxGraph* graph, const std::vector<int64_t>& dims, float value = 1) {
  size_t size = 1;
  for (const int64_t dim : dims) size *= static_cast<size_t>(dim);
  return graph->Floats("k", dims, std::vector<float>(size, value));
}

inline onnx::AttributeProto OnnxText(const std::string& name, const std::string& value) {
  onnx::AttributeProto attribute;
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::STRING);
  attribute.set_s(value);
  return attribute;
}

inline ImportedJob ImportBytes(const std::string& bytes,
                               const ImportOptions& options = {.loss = "none"}) {
  TensorValues tensors("net.onnx");
  const OnnxModel model = ReadOnnxModel(std::as_bytes(std::span(bytes)), "net.onnx");
  return ImportJob(model, "net.onnx", options, &tensors);
}

inline ImportedJob ImportGraph(OnnxGraph* graph, const ImportOptions& options = {.loss = "none"}) {
  return ImportBytes(graph->Serialize("net"), options);
}

// Returns the layer that gives the output y. The job has no loss.
inline LayerProto LastLayerOf(OnnxGraph* graph) {
  const NetProto net = ImportGraph(graph).job.neuralnet();
  return net.layer(net.layer_size() - 1);
}

// Returns the error of an import; "": there is none.
inline std::string ImportRefusalOf(const std::string& bytes) {
  try {
    ImportBytes(bytes);
  } catch (const DataError& error) {
    return error.what();
  }
  return "";
}
inline std::string ImportRefusalOf(OnnxGraph* graph) {
  return ImportRefusalOf(graph->Serialize("net"));
}

inline void ExpectText(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "\"" << text << "\" lacks \"" << part << "\"";
}

// RefusedNode is a node that no layer computes. It reads x, and constants of ones of these sizes.
struct RefusedNode {
  std::string op;
  std::vector<std::vector<int64_t>> constants;
  OnnxAttributes attributes;
  std::string why;
};

// Expects that an import of each node in a graph with this input is refused.
inline void ExpectRefusals(const OnnxDims& dims, const std::vector<RefusedNode>& nodes) {
  for (const RefusedNode& node : nodes) {
    SCOPED_TRACE(node.op + ": " + node.why);
    OnnxGraph graph = GraphOf(dims);
    OnnxNames inputs = {"x"};
    for (const std::vector<int64_t>& sizes : node.constants)
      inputs.push_back(Constant(&graph, sizes));
    graph.Add(node.op, inputs, {"y"}, node.attributes);
    ExpectText(ImportRefusalOf(&graph), "node \"y\" (" + node.op + "): " + node.why);
  }
}

}  // namespace singa
