#include "driver/job/alike.h"

#include <algorithm>
#include <string>

#include "base/file/sha256.h"
#include "base/text/short_text.h"
#include "driver/facts/data_fingerprint.h"
#include "driver/facts/input_facts.h"
#include "driver/version.h"
#include "singa/base/error.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

// Leaves out what may differ from host to host.
std::string ConfHash(JobProto job) {
  job.clear_step();
  job.clear_gpu();
  job.mutable_cluster()->clear_coordinator();
  job.mutable_cluster()->clear_bind();
  job.mutable_cluster()->clear_workspace();
  return Sha256Hex(job.ShortDebugString());
}

std::string RecordsText(int64_t records) { return records < 0 ? "?" : StrCat(records); }

[[noreturn]] void Refuse(const std::string& why) { throw Error(kExitConfig, why); }

void CheckStore(const ControlMessage::Alike::Store& first,
                const ControlMessage::Alike::Store& own) {
  if (first.layer() != own.layer() || first.records() != own.records())
    Refuse(StrCat("layer \"", own.layer(), "\" has ", RecordsText(own.records()),
                  " records, and in process 0 layer \"", ShortText(Printable(first.layer()), 100),
                  "\" has ", RecordsText(first.records())));
  const bool known = first.fingerprint() != 0 && own.fingerprint() != 0;
  if (known && first.fingerprint() != own.fingerprint())
    Refuse(StrCat("the data of layer \"", own.layer(),
                  "\" is not as in process 0: its files have other names, sizes or first bytes"));
}

}  // namespace

ControlMessage::Alike AlikeOf(WorkerGroups* groups) {
  ControlMessage::Alike alike;
  alike.set_build(BuildId());
  alike.set_conf_sha256(ConfHash(groups->process()->part().job()));
  alike.set_gradients(WayOf(groups->plan()));
  if (!groups->teams().HasWorkers()) return alike;
  for (const InputFacts& input : InputsOf(&groups->lead().model().net())) {
    ControlMessage::Alike::Store* const store = alike.add_stores();
    store->set_layer(input.layer);
    store->set_records(input.facts.records);
    store->set_fingerprint(DataFingerprint(input.source.store.path));
  }
  return alike;
}

void CheckAlike(const ControlMessage::Alike& first, const ControlMessage::Alike& own) {
  const auto text = [](const std::string& id) { return ShortText(Printable(id), 64); };
  if (first.build() != own.build())
    Refuse(StrCat("this is another build of singa than process 0's: ", own.build(), ", not ",
                  text(first.build())));
  if (first.conf_sha256() != own.conf_sha256())
    Refuse("job.conf, or a setting by -set, is not as in process 0");
  if (first.gradients() != own.gradients())
    Refuse(
        StrCat("gradients travel by ", own.gradients(), " here, and by ", text(first.gradients()),
               " in process 0: set cluster.all_reduce.backend, or install Open MPI on all hosts"));
  const int stores = std::min(first.stores_size(), own.stores_size());
  for (int i = 0; i < stores; ++i) CheckStore(first.stores(i), own.stores(i));
}

}  // namespace singa
