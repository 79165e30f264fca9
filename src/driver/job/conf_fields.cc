#include "driver/job/conf_fields.h"

#include <google/protobuf/text_format.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "base/file/sha256.h"
#include "driver/conf/message_walk.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::TextFormat;

struct LeftOutField {
  const char* message;
  const char* field;
};
constexpr LeftOutField kLeftOut[] = {
    // Length of the training.
    {"JobProto", "train_steps"},
    {"JobProto", "train_epochs"},
    // Times of display, tests and checkpoints, and the checkpoints that stay.
    {"JobProto", "disp_freq"},
    {"JobProto", "disp_after"},
    {"JobProto", "tensorboard"},
    {"JobProto", "tensorboard_histogram_freq"},
    {"JobProto", "test_freq"},
    {"JobProto", "test_epochs"},
    {"JobProto", "test_steps"},
    {"JobProto", "test_after"},
    {"JobProto", "validate_freq"},
    {"JobProto", "validate_steps"},
    {"JobProto", "validate_after"},
    {"JobProto", "checkpoint_freq"},
    {"JobProto", "checkpoint_after"},
    {"JobProto", "checkpoint_keep"},
    {"JobProto", "checkpoint_best"},
    {"JobProto", "stop_patience"},
    {"JobProto", "debug"},
    // A resumed job gets its values from its checkpoint.
    {"JobProto", "checkpoint_path"},
    // Names of files.
    {"JobProto", "name"},
    {"ClusterProto", "workspace"},
    // Division of work between processes, their addresses, and their timeouts.
    {"ClusterProto", "nworkers_per_procs"},
    {"ClusterProto", "nservers_per_procs"},
    {"ClusterProto", "server_worker_separate"},
    {"ClusterProto", "coordinator"},
    {"ClusterProto", "bind"},
    {"ClusterProto", "insecure"},
    {"ClusterProto", "start_timeout"},
    {"ClusterProto", "peer_timeout"},
    {"ClusterProto", "stall_timeout"},
    {"ClusterProto", "max_restarts"},
    // Threads that read records in their order.
    {"StoreProto", "decode_threads"},
    // Fields without effect, or set by the system.
    {"JobProto", "reset_param_version"},
    {"JobProto", "resume"},
    {"JobProto", "step"},
    {"JobProto", "id"},
    {"ClusterProto", "start_port"},
    {"ClusterProto", "poll_time"},
    {"StoreProto", "prefetching"},
    // Fields that a checkpoint's `run` has: seed, threads, plain_kernels, gpus, precision and
    // topology.
    {"JobProto", "seed"},
    {"JobProto", "num_openblas_threads"},
    {"JobProto", "plain_kernels"},
    {"JobProto", "gpu"},
    {"JobProto", "precision"},
    {"ClusterProto", "nworker_groups"},
    {"ClusterProto", "nworkers_per_group"},
};

bool IsLeftOut(const FieldDescriptor& field) {
  return !field.is_extension() &&
         std::any_of(std::begin(kLeftOut), std::end(kLeftOut), [&field](const LeftOutField& out) {
           return field.containing_type()->name() == out.message && field.name() == out.field;
         });
}

std::string Bounded(const std::string& value) {
  constexpr size_t kLongest = 120;
  if (value.size() <= kLongest) return value;
  return StrCat(value.substr(0, kLongest), "... (SHA-256 ", Sha256Hex(value), ")");
}

std::string ValueOf(const google::protobuf::Message& message, const FieldDescriptor& field) {
  const auto print = [&](int index) {
    std::string text;
    TextFormat::PrintFieldValueToString(message, &field, index, &text);
    return text;
  };
  if (!field.is_repeated()) return print(-1);
  std::string list;
  for (int i = 0; i < message.GetReflection()->FieldSize(message, &field); ++i)
    list += (i ? ", " : "") + print(i);
  return "[" + list + "]";
}

std::string Shown(const ConfFields& fields, const std::string& path) {
  const auto it = fields.find(path);
  return it == fields.end() ? "not given" : it->second;
}

// Returns the fields that `job` sets, except those that `leaves_out` names.
ConfFields Collect(const JobProto& job,
                   const std::function<bool(const FieldDescriptor&)>& leaves_out) {
  ConfFields all;
  WalkMessages(job, "", [&](const google::protobuf::Message& message, const std::string& path) {
    std::vector<const FieldDescriptor*> fields;
    message.GetReflection()->ListFields(message, &fields);
    if (fields.empty() && !path.empty()) all[path] = "{}";
    for (const FieldDescriptor* field : fields)
      if (!field->message_type() && !leaves_out(*field))
        all[JoinPath(path, FieldPart(*field))] = Bounded(ValueOf(message, *field));
  });
  return all;
}

}  // namespace

ConfFields FieldsOf(const JobProto& job) { return Collect(job, IsLeftOut); }

ConfFields CommonFieldsOf(JobProto job) {
  job.clear_step();
  job.clear_gpu();
  job.mutable_cluster()->clear_coordinator();
  job.mutable_cluster()->clear_bind();
  job.mutable_cluster()->clear_workspace();
  const std::string net = Sha256Hex(job.neuralnet().ShortDebugString());
  job.clear_neuralnet();
  ConfFields fields = Collect(job, [](const FieldDescriptor&) { return false; });
  fields["neuralnet"] = net;
  return fields;
}

std::string ChangedFields(const ConfFields& then, const ConfFields& now) {
  constexpr int kMost = 10;
  ConfFields either = then;
  either.insert(now.begin(), now.end());
  std::string text;
  int changed = 0;
  for (const auto& [path, value] : either) {
    const std::string before = Shown(then, path), after = Shown(now, path);
    if (before == after || ++changed > kMost) continue;
    text += StrCat(text.empty() ? "" : "; ", path, " was ", before, ", is ", after);
  }
  return changed > kMost ? StrCat(text, "; and ", changed - kMost, " more") : text;
}

}  // namespace singa
