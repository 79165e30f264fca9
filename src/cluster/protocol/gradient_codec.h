// These functions choose the codecs of a job's gradients, and of its outer steps.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "cluster/protocol/sync_plan.h"
#include "singa/comm/codec.h"
#include "singa/proto/job.pb.h"

namespace singa {

// Returns whether gradients travel in the job's form, kNone or another, if they are added up in
// this mode.
bool UsesCodec(SyncMode mode, const JobProto& job);

// Returns whether a codec leaves numbers out that it adds to the next gradient.
bool SendsLater(const AllReduceProto& conf);

// Returns whether each process bounds the norm of its own gradient, before it encodes it, in place
// of the updater.
bool ClipsLocally(const JobProto& job);

// Returns the momentum that the codec of the job's gradients adds in place of the updater; 0: none.
float MomentumOfCodec(const JobProto& job);

// All processes of a job make the same codecs. Values and states always travel as float32.
// `momentum`: as in Codec::Setup.
std::unique_ptr<Codec> MakeGradientCodec(const ClusterProto& conf, float momentum = 0);

// Returns the codec of what server groups send each other with group_sync: kOuter.
std::unique_ptr<Codec> MakeOuterCodec(const ClusterProto& conf);

// Returns why the workers do not keep state of `kind` (train/reduce/exchange_state.h) from step to
// step; "": they do. Such state is a worker's own, such as its residuals.
std::string WhyNotKept(std::string_view kind, SyncMode mode, const JobProto& job);

// Returns the job as servers, and processes that apply their sums, train it: without the momentum
// that the codec adds, and without clip_norm where each process clips.
JobProto JobOfServers(JobProto job);

}  // namespace singa
