// These functions write pictures of a net in SINGA 0.3's JSON and Graphviz's DOT (dot_graph.h), and
// the conf of its job.
#pragma once

#include <cstdint>
#include <string>

#include "base/file/file_system.h"
#include "driver/workspace/workspace.h"
#include "singa/nn/net.h"
#include "singa/proto/job.pb.h"
#include "train/trainer/worker_model.h"

namespace singa {

std::string GraphJson(const Net& net);
// Writes `stem`.json and `stem`.dot. Throws WriteError.
void WriteGraphFiles(FileSystem* files, const Net& net, const std::string& stem,
                     const std::string& title);
// Writes the job as it runs, the net that a worker trains, and the net that it tests, if it tests.
// Throws WriteError.
void WriteJobFiles(const Workspace& workspace, const JobProto& job, WorkerModel* model);

// Writes the files of JobProto.debug: <folder>/fp-step<N>-loc<W>.json and bp-step<N>-loc<W>.json.
// Their labels have the mean absolute value of each layer's feature and params, and of their
// gradients. Throws WriteError. REQUIRES: the net keeps these tensors to the end of a step.
void WriteDebugFiles(FileSystem* files, const Context& ctx, const Net& net,
                     const std::string& folder, int64_t step, int worker);

}  // namespace singa
