// Which codec a job's gradients travel by.
#pragma once

#include <memory>

#include "singa/comm/codec.h"
#include "singa/proto/cluster.pb.h"

namespace singa {

// All processes of a job make the same one. Values and states travel as float32 in any case.
std::unique_ptr<Codec> MakeGradientCodec(const ClusterProto& conf);

}  // namespace singa
