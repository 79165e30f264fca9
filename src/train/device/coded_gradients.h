// CodedGradients is a CompressedExchange that adds up gradients, and keeps a state of its own on
// the device.
#pragma once

#include "train/device/compressed_exchange.h"
#include "train/device/gpu_compression.h"

namespace singa {

class CodedGradients : public CompressedExchange {
 public:
  void Upload() override;
  void Download() const override;

 protected:
  // Allocates the state. Throws DeviceError.
  CodedGradients(const Setup& setup, const GpuCompression& compression);

  const AllReduceProto& conf() const { return setup_.job.cluster().all_reduce(); }

  Tensor state_;
};

}  // namespace singa
