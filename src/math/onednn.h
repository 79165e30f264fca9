// What files that call oneDNN share. Included by *_onednn.cc only.
#pragma once

#include <dnnl.hpp>

#include <initializer_list>
#include <unordered_map>
#include <utility>

namespace singa {

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
    for (const auto& [arg, desc] : args)
      if (desc.get_size() > 0) args_.emplace(arg, dnnl::memory(desc, engine, DNNL_MEMORY_NONE));
  }

  explicit operator bool() const { return static_cast<bool>(primitive_); }

  // Where `arg` lies; ignored where the call was made without it or its size is 0 (a bias, a
  // scratchpad).
  OnednnCall& Set(int arg, const void* memory) {
    const auto it = args_.find(arg);
    if (it != args_.end()) it->second.set_data_handle(const_cast<void*>(memory));
    return *this;
  }

  void Run() {
    primitive_.execute(stream_, args_);
    stream_.wait();
  }

 private:
  dnnl::stream stream_;
  dnnl::primitive primitive_;
  std::unordered_map<int, dnnl::memory> args_;
};

}  // namespace singa
