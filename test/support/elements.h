// RunElements does on the host what ForEach of tensor/kernel/launch.cuh does on a device.
#pragma once

#include <cstdint>

namespace singa {

template <typename F>
void RunElements(int64_t n, const F& f) {
  for (int64_t i = n; i-- > 0;) f(i);  // in another order than that of memory
}

}  // namespace singa
