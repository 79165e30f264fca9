// Code that files which call oneDNN share. Only *_onednn.cc include it.
#pragma once

#include <cerrno>
#include <dnnl.hpp>
#include <initializer_list>
#include <utility>
#include <vector>

namespace singa {

// Checks a call of oneDNN. Throws DeviceError if `what` failed, or if the system refused memory for
// kernels that are generated at run time. oneDNN does not report the refusal, and computes other
// bits by other kernels. REQUIRES: errno was 0 before the call.
void CheckOnednn(dnnl_status_t status, const char* what);

// Checks a refusal of oneDNN to make something. Returns if the shape is to blame.
void CheckDeclined(const dnnl::error& error, const char* what);

inline dnnl::memory::desc F32Desc(const dnnl::memory::dims& dims, dnnl::memory::format_tag tag) {
  return {dims, dnnl::memory::data_type::f32, tag};
}

// Primitives take their scratchpad from Context::scratch.
inline dnnl::primitive_attr UserScratchpad() {
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attr;
}

// One primitive with its arguments, made once and run each step. Only the addresses of the
// arguments change. One thread uses it. The primitive is bound to the number of OpenMP threads when
// it is made.
class OnednnCall {
 public:
  OnednnCall() = default;
  OnednnCall(const dnnl::engine& engine, dnnl::primitive primitive,
             std::initializer_list<std::pair<int, dnnl::memory::desc>> args)
      : stream_(engine), primitive_(std::move(primitive)) {
    for (const auto& [arg, desc] : args) {
      if (desc.get_size() == 0) continue;
      memories_.push_back(dnnl::memory(desc, engine, DNNL_MEMORY_NONE));
      args_.push_back({arg, memories_.back().get()});
    }
  }

  explicit operator bool() const { return static_cast<bool>(primitive_); }

  // Sets the address of `arg`. Ignored if the call was made without it or its size is 0 (a bias, a
  // scratchpad).
  OnednnCall& Set(int arg, const void* memory) {
    for (size_t i = 0; i < args_.size(); ++i)
      if (args_[i].arg == arg) memories_[i].set_data_handle(const_cast<void*>(memory));
    return *this;
  }

  // Runs the primitive by the C function, since the C++ one makes a vector of the arguments at each
  // call.
  void Run() {
    errno = 0;
    CheckOnednn(dnnl_primitive_execute(primitive_.get(), stream_.get(),
                                       static_cast<int>(args_.size()), args_.data()),
                "a primitive");
    CheckOnednn(dnnl_stream_wait(stream_.get()), "a primitive");
  }

 private:
  dnnl::stream stream_;
  dnnl::primitive primitive_;
  std::vector<dnnl::memory> memories_;
  std::vector<dnnl_exec_arg_t> args_;  // of memories_
};

}  // namespace singa
