// MakeGradientCodec chooses the codec of a job's gradients.
#pragma once

#include <memory>

#include "singa/comm/codec.h"
#include "singa/proto/cluster.pb.h"

namespace singa {

// All processes of a job make the same codec. Values and states always travel as float32.
std::unique_ptr<Codec> MakeGradientCodec(const ClusterProto& conf);

}  // namespace singa
