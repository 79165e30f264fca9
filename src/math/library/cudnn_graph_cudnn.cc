#include "math/library/cudnn_graph.h"

#include <algorithm>

#include "singa/base/error.h"
#include "tensor/gpu/cuda_stream.h"
#include "tensor/gpu/gpu_libraries.h"

namespace singa {
namespace {

template <typename F>
using Cudnn = LibraryFunction<F>;
constinit Cudnn<decltype(cudnnGetVersion)> Version(&cudnn, "cudnnGetVersion");
constinit Cudnn<decltype(cudnnGetErrorString)> ErrorString(&cudnn, "cudnnGetErrorString");
constinit Cudnn<decltype(cudnnGetLastErrorString)> LastError(&cudnn, "cudnnGetLastErrorString");
constinit Cudnn<decltype(cudnnCreate)> CreateHandle(&cudnn, "cudnnCreate");
constinit Cudnn<decltype(cudnnDestroy)> DestroyHandle(&cudnn, "cudnnDestroy");
constinit Cudnn<decltype(cudnnSetStream)> SetStream(&cudnn, "cudnnSetStream");
constinit Cudnn<decltype(cudnnBackendCreateDescriptor)> CreateDescriptor(
    &cudnn, "cudnnBackendCreateDescriptor");
constinit Cudnn<decltype(cudnnBackendDestroyDescriptor)> DestroyDescriptor(
    &cudnn, "cudnnBackendDestroyDescriptor");
constinit Cudnn<decltype(cudnnBackendFinalize)> FinalizeIt(&cudnn, "cudnnBackendFinalize");
constinit Cudnn<decltype(cudnnBackendSetAttribute)> SetAttribute(&cudnn,
                                                                 "cudnnBackendSetAttribute");
constinit Cudnn<decltype(cudnnBackendGetAttribute)> GetAttribute(&cudnn,
                                                                 "cudnnBackendGetAttribute");
constinit Cudnn<decltype(cudnnBackendExecute)> Execute(&cudnn, "cudnnBackendExecute");

// Returns cuDNN's message about the call that has just failed.
std::string WhatFailed(cudnnStatus_t status) {
  char message[1024] = "";
  LastError(message, sizeof(message));
  return StrCat(ErrorString(status), " ", message);
}

void Check(cudnnStatus_t status, const char* what) {
  if (status != CUDNN_STATUS_SUCCESS)
    throw DeviceError(StrCat("cuDNN: ", what, ": ", WhatFailed(status)));
}

// A handle for each stream, made at its first use.
struct Handle {
  explicit Handle(CudaStream* stream) {
    Check(CreateHandle(&p), "a handle");
    Check(SetStream(p, stream->handle()), "a handle's stream");
  }
  ~Handle() { DestroyHandle(p); }
  Handle(const Handle&) = delete;

  cudnnHandle_t p = nullptr;
};

std::vector<cudnnBackendNumericalNote_t> NotesOf(const CudnnDescriptor& engine) {
  return engine.Get<cudnnBackendNumericalNote_t>(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE,
                                                 CUDNN_NUMERICAL_NOTE_TYPE_COUNT);
}

bool OnTensorCores(const CudnnDescriptor& engine) {
  return std::ranges::count(NotesOf(engine), CUDNN_NUMERICAL_NOTE_TENSOR_CORE) > 0;
}

// Returns whether an engine is deterministic and precise enough. Products on tensor cores round
// float32 to TF32. If they are allowed, so are others that lose no more: products of transformed
// images.
bool Allowed(const CudnnDescriptor& engine, bool tensor_cores) {
  for (const cudnnBackendNumericalNote_t note : NotesOf(engine)) switch (note) {
      case CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC:
      case CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION:
      case CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS:
        return false;
      case CUDNN_NUMERICAL_NOTE_STRICT_NAN_PROP:
        break;
      default:
        if (!tensor_cores) return false;
    }
  return true;
}

// Returns the proposals of the heuristics, best first; none if they decline.
std::vector<CudnnDescriptor> Configs(const CudnnTarget& target, const CudnnDescriptor& graph,
                                     cudnnBackendHeurMode_t mode) {
  CudnnDescriptor heuristics(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  heuristics.Set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph)
      .Set(CUDNN_ATTR_ENGINEHEUR_MODE, mode);
  if (target.device) heuristics.Set(CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, *target.device);
  try {
    heuristics.Finalize();
  } catch (const CudnnDeclines&) {
    return {};
  }
  const int64_t n = heuristics.GetInto(CUDNN_ATTR_ENGINEHEUR_RESULTS, {});
  std::vector<CudnnDescriptor> configs;
  for (int64_t i = 0; i < n; ++i) configs.emplace_back(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
  const int64_t found = heuristics.GetInto(CUDNN_ATTR_ENGINEHEUR_RESULTS, configs);
  configs.erase(configs.begin() + found, configs.end());
  return configs;
}

}  // namespace

bool CudnnAvailable(std::string* why) { return cudnn.Available(why); }
int64_t CudnnVersion() { return static_cast<int64_t>(Version()); }

cudnnHandle_t CudnnHandleOf(const Context& ctx) { return CudaStreamOf(ctx).Part<Handle>().p; }

CudnnDescriptor::CudnnDescriptor(cudnnBackendDescriptorType_t type) {
  cudnnBackendDescriptor_t made = nullptr;
  Check(CreateDescriptor(type, &made), "a descriptor");
  own_ = {made, [](cudnnBackendDescriptor_t p) { DestroyDescriptor(p); }};
}

CudnnDescriptor& CudnnDescriptor::SetAll(cudnnBackendAttributeName_t name,
                                         std::span<const CudnnDescriptor> values) {
  std::vector<cudnnBackendDescriptor_t> p;
  for (const CudnnDescriptor& value : values) {
    p.push_back(value.get());
    parts_.push_back(value);
  }
  SetRaw(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, static_cast<int64_t>(p.size()), p.data());
  return *this;
}

void CudnnDescriptor::SetRaw(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                             int64_t n, const void* values) {
  Check(SetAttribute(get(), name, type, n, values), "an attribute");
}

int64_t CudnnDescriptor::GetRaw(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                                int64_t n, void* values) const {
  int64_t found = 0;
  Check(GetAttribute(get(), name, type, n, &found, values), "what an attribute is");
  return n == 0 ? found : std::min(found, n);
}

int64_t CudnnDescriptor::GetInto(cudnnBackendAttributeName_t name,
                                 std::span<CudnnDescriptor> values) const {
  std::vector<cudnnBackendDescriptor_t> p;
  for (const CudnnDescriptor& value : values) p.push_back(value.get());
  return GetRaw(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, static_cast<int64_t>(p.size()), p.data());
}

void CudnnDescriptor::Finalize() {
  const cudnnStatus_t status = FinalizeIt(get());
  if (CUDNN_STATUS_CATEGORY(status) == CUDNN_STATUS_NOT_SUPPORTED)
    throw CudnnDeclines{WhatFailed(status)};
  Check(status, "a description");
}

// Turns any refusal of cuDNN into CudnnDeclines, since the caller can do the operations in another
// way.
CudnnPlan CudnnPlan::Make(const CudnnTarget& target, std::span<const CudnnDescriptor> operations,
                          const CudnnLimits& limits) {
  try {
    return Choose(target, operations, limits);
  } catch (const DeviceError& error) {
    throw CudnnDeclines{error.what()};
  }
}

CudnnPlan CudnnPlan::Choose(const CudnnTarget& target, std::span<const CudnnDescriptor> operations,
                            const CudnnLimits& limits) {
  CudnnDescriptor graph(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  graph.SetAll(CUDNN_ATTR_OPERATIONGRAPH_OPS, operations);
  if (target.handle) graph.Set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, target.handle);
  graph.Finalize();
  for (const auto mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK})
    for (const CudnnDescriptor& config : Configs(target, graph, mode)) {
      CudnnDescriptor engine(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
      config.GetInto(CUDNN_ATTR_ENGINECFG_ENGINE, {&engine, 1});
      if (!Allowed(engine, limits.tensor_cores)) continue;
      CudnnDescriptor plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
      plan.Set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, config);
      if (target.handle) plan.Set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, target.handle);
      if (target.device) plan.Set(CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, *target.device);
      if (FinalizeIt(plan.get()) != CUDNN_STATUS_SUCCESS) continue;  // not for this device or shape
      const int64_t bytes = plan.Get<int64_t>(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, 1).front();
      if (bytes <= limits.workspace)
        return CudnnPlan(std::move(graph), std::move(plan), bytes, OnTensorCores(engine));
    }
  throw CudnnDeclines{StrCat("no engine, deterministic and precise enough, does with ",
                             limits.workspace, " bytes of workspace")};
}

void CudnnPlan::Run(Context& ctx, std::initializer_list<std::pair<int64_t, const void*>> tensors,
                    void* workspace) const {
  std::vector<int64_t> numbers;
  std::vector<void*> pointers;
  for (const auto& [number, pointer] : tensors) {
    numbers.push_back(number);
    pointers.push_back(const_cast<void*>(pointer));
  }
  CudnnDescriptor pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  pack.SetAll<int64_t>(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, numbers)
      .SetAll<void*>(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, pointers)
      .Set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, workspace)
      .Finalize();
  Check(Execute(CudnnHandleOf(ctx), plan_.get(), pack.get()), "a plan");
}

}  // namespace singa
