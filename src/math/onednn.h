// What files that call oneDNN share. Included by *_onednn.cc only.
#pragma once

#include <dnnl.hpp>

#include <initializer_list>
#include <utility>
#include <vector>

#include "base/system_limits.h"
#include "singa/base/error.h"

namespace singa {

// Throws DeviceError: `what` has failed, by status.
inline void CheckOnednn(dnnl_status_t status, const char* what) {
  if (status == dnnl_success) return;
  throw DeviceError(StrCat("oneDNN: ", what, ": ",
                           status == dnnl_out_of_memory
                               ? OutOfMemoryText()
                               : StrCat("failed with status ", int{status})));
}

// oneDNN has refused to make something. Throws DeviceError if the machine is to blame, and returns
// if the shape is.
inline void CheckDeclined(const dnnl::error& error, const char* what) {
  if (error.status == dnnl_out_of_memory || error.status == dnnl_runtime_error)
    CheckOnednn(error.status, what);
}

inline dnnl::memory::desc F32Desc(const dnnl::memory::dims& dims, dnnl::memory::format_tag tag) {
  return {dims, dnnl::memory::data_type::f32, tag};
}

// Primitives take their scratchpad from Context::scratch.
inline dnnl::primitive_attr UserScratchpad() {
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attr;
}

// One primitive with its arguments, made once and run each step: only where the arguments lie
// changes. Used by one thread. The primitive is bound to the OpenMP threads in force when it is
// made.
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

  // Where `arg` lies; ignored where the call was made without it or its size is 0 (a bias, a
  // scratchpad).
  OnednnCall& Set(int arg, const void* memory) {
    for (size_t i = 0; i < args_.size(); ++i)
      if (args_[i].arg == arg) memories_[i].set_data_handle(const_cast<void*>(memory));
    return *this;
  }

  // By the C function: the C++ one makes a vector of the arguments at each call.
  void Run() {
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
