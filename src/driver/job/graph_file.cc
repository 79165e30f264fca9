#include "driver/job/graph_file.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text/json_text.h"
#include "driver/conf/conf_text.h"
#include "driver/job/dot_graph.h"
#include "io/file/text_file.h"
#include "nn/plan/net_sources.h"
#include "singa/base/error.h"
#include "singa/tensor/memory.h"

namespace singa {
namespace {

std::string ShapeText(const NetNode& node) {
  const Shape& shape = node.out[0]->data.shape();
  std::string text;
  for (int i = 0; i < shape.dims(); ++i) text += StrCat(shape[i], " ");
  return text;
}

// Returns the net as JSON. `label` gives the text after a node's name.
template <typename Label>
std::string Json(const Net& net, const Label& label) {
  nlohmann::ordered_json nodes = nlohmann::json::array(), links = nlohmann::json::array();
  for (const NetNode& node : net.nodes())
    nodes.push_back({{"id", node.full_name},
                     {"label", node.full_name + " -- " + label(node)},
                     {"color", WorkerColour(node.part)},
                     {"shape", "box"}});
  for (const auto& [source, target] : EdgesOf(net))
    links.push_back({{"source", source}, {"target", target}, {"label", ""}});
  const nlohmann::ordered_json graph = {{"directed", 1}, {"nodes", nodes}, {"links", links}};
  return JsonText(graph, 1) + "\n";
}

// Returns "name: mean absolute value, "; "" for an empty tensor. `ctx` is for the tensor's device.
std::string MeanText(const Context& ctx, const std::string& name, const Tensor& tensor,
                     float scale = 1) {
  if (tensor.empty()) return "";
  const Tensor host = OnHost(ctx, tensor);
  double sum = 0;
  for (int64_t i = 0; i < host.size(); ++i) sum += std::abs(host.data()[i]);
  return StrCat(name, ": ", sum / (static_cast<double>(host.size()) * scale), " ");
}

}  // namespace

std::string GraphJson(const Net& net) {
  return Json(net, [](const NetNode& node) { return "shape: " + ShapeText(node); });
}

void WriteDebugFiles(FileSystem* files, const Context& ctx, const Net& net,
                     const std::string& folder, int64_t step, int worker) {
  const float scale = ctx.state->loss_scale;  // factor of all gradients
  const std::string end = StrCat("-step", step, "-loc", worker, ".json");
  WriteText(files, folder + "/fp" + end, Json(net, [&](const NetNode& node) {
              const Context own = node.ContextOf(ctx);
              std::string text = MeanText(own, "data", node.out[0]->data);
              for (const Param* param : node.declared().params)
                text += MeanText(own, param->name(), param->data);
              return text;
            }));
  WriteText(files, folder + "/bp" + end, Json(net, [&](const NetNode& node) {
              const Context own = node.ContextOf(ctx);
              std::string text = MeanText(own, "grad", node.out[0]->grad, scale);
              for (const Param* param : node.declared().params)
                text += MeanText(own, param->name(), param->grad, scale);
              return text;
            }));
}

void WriteGraphFiles(FileSystem* files, const Net& net, const std::string& stem,
                     const std::string& title) {
  WriteText(files, stem + ".json", GraphJson(net));
  WriteText(files, stem + ".dot", GraphDot(net, title));
}

void WriteJobFiles(const Workspace& workspace, const JobProto& job, WorkerModel* model) {
  const std::string& title = job.name();
  WriteText(workspace.files(), workspace.conf(), ConfText(job));
  WriteGraphFiles(workspace.files(), model->net(), workspace.graph("train"), title);
  if (Evaluator* test = model->evaluator(kTest))
    WriteGraphFiles(workspace.files(), test->net(), workspace.graph("test"), title);
}

}  // namespace singa
