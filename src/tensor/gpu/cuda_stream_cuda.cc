#include "tensor/gpu/cuda_stream.h"

#include <glog/logging.h>

#include "singa/base/error.h"

namespace singa {
namespace {

class CudaGraph final : public CapturedWork {
 public:
  explicit CudaGraph(cudaGraphExec_t graph) : graph_(graph) {}
  ~CudaGraph() override { cudaGraphExecDestroy(graph_); }
  cudaGraphExec_t get() const { return graph_; }

 private:
  const cudaGraphExec_t graph_;
};

}  // namespace

void CheckCuda(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // clears the error, which is reported here
  int number = -1;
  cudaGetDevice(&number);
  throw DeviceError(StrCat("GPU ", number, ": ", what, ": ", cudaGetErrorString(status)));
}

// Gives its event back to the stream that recorded it, which must outlive it.
class CudaStream::Place final : public Event {
 public:
  Place(CudaStream* stream, cudaEvent_t event) : stream_(stream), event_(event) {}
  ~Place() override { stream_->free_events_.push_back(event_); }
  cudaEvent_t event() const { return event_; }

  bool Done() override {
    const cudaError_t status = cudaEventQuery(event_);
    if (status == cudaErrorNotReady) return false;
    CheckCuda(status, "the work before");
    return true;
  }
  void Wait() override { CheckCuda(cudaEventSynchronize(event_), "the work before"); }

 private:
  CudaStream* const stream_;
  const cudaEvent_t event_;
};

CudaStream::CudaStream(Gpu* gpu) : gpu_(gpu) {
  CheckCuda(cudaStreamCreateWithFlags(&handle_, cudaStreamNonBlocking), "a new stream");
}

// Any thread may call this, so the device is set first: objects of libraries must be freed on their
// device.
CudaStream::~CudaStream() {
  cudaStreamSynchronize(handle_);
  try {
    gpu_->Use();
  } catch (const DeviceError& error) {
    LOG(WARNING) << error.what();
  }
  parts_.clear();
  for (cudaEvent_t event : free_events_) cudaEventDestroy(event);
  cudaStreamDestroy(handle_);
}

void* CudaStream::workspace() {
  if (!workspace_) {
    const Uncaptured uncaptured;
    workspace_ = gpu_->Allocate(kWorkspaceBytes);
  }
  return workspace_.get();
}

void CudaStream::ReserveWorkspace() {
  try {
    workspace();
  } catch (const DeviceError& error) {
    throw DeviceError(StrCat("workspace for sums and products of matrices: ", error.what()));
  }
}

void CudaStream::Copy(const void* from, void* to, int64_t bytes) {
  CheckCuda(cudaMemcpyAsync(to, from, static_cast<size_t>(bytes), cudaMemcpyDefault, handle_),
            "a copy");
}

void CudaStream::Zero(void* to, int64_t bytes) {
  CheckCuda(cudaMemsetAsync(to, 0, static_cast<size_t>(bytes), handle_), "zeroing memory");
}

std::unique_ptr<Event> CudaStream::Record() {
  cudaEvent_t event;
  if (free_events_.empty()) {
    CheckCuda(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "a new event");
  } else {
    event = free_events_.back();
    free_events_.pop_back();
  }
  auto place = std::make_unique<Place>(this, event);
  CheckCuda(cudaEventRecord(event, handle_), "recording an event");
  return place;
}

void CudaStream::Await(Event& event) {
  CheckCuda(cudaStreamWaitEvent(handle_, static_cast<Place&>(event).event(), 0),
            "waiting for an event");
}

void CudaStream::Wait() { CheckCuda(cudaStreamSynchronize(handle_), "the work before"); }

void CudaStream::BeginCapture() {
  CheckCuda(cudaStreamBeginCapture(handle_, cudaStreamCaptureModeThreadLocal), "capturing work");
}

// Uploads the graph, so that its first launch allocates nothing: an allocation could wait for the
// work of GPUs that wait for this one.
std::unique_ptr<CapturedWork> CudaStream::EndCapture() {
  cudaGraph_t graph;
  CheckCuda(cudaStreamEndCapture(handle_, &graph), "capturing work");
  cudaGraphExec_t exec;
  const cudaError_t status = cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphDestroy(graph);
  CheckCuda(status, "making a graph of captured work");
  auto work = std::make_unique<CudaGraph>(exec);
  CheckCuda(cudaGraphUpload(exec, handle_), "a graph's way to the device");
  Wait();
  return work;
}

void CudaStream::DropCapture() noexcept {
  cudaGraph_t graph = nullptr;
  if (cudaStreamEndCapture(handle_, &graph) == cudaSuccess) cudaGraphDestroy(graph);
  cudaGetLastError();
}

void CudaStream::Replay(const CapturedWork& work) {
  CheckCuda(cudaGraphLaunch(static_cast<const CudaGraph&>(work).get(), handle_),
            "replaying captured work");
}

void CudaStream::Run(std::function<void()>) {
  LOG(FATAL) << "a GPU does not run kernels of the host";
}

}  // namespace singa
