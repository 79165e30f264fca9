#include "driver/job/alike.h"

#include <algorithm>
#include <string>

#include "base/text/short_text.h"
#include "driver/facts/data_fingerprint.h"
#include "driver/facts/input_facts.h"
#include "driver/job/conf_fields.h"
#include "driver/version.h"
#include "singa/base/error.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

constexpr size_t kMostLayer = 100;  // bytes of a layer's name

std::string RecordsText(int64_t records) { return records < 0 ? "?" : StrCat(records); }

[[noreturn]] void Refuse(const std::string& why) { throw Error(kExitConfig, why); }

// Throws Error, with the first setting that is not as in process 0.
void CheckSettings(const ConfFields& first, const ConfFields& own) {
  constexpr size_t kLongest = 150;
  const auto shown = [](const std::string& text) { return ShortText(Printable(text), kLongest); };
  const auto value = [](const ConfFields& fields, const std::string& path) {
    const auto at = fields.find(path);
    return at == fields.end() ? "not set" : at->second;
  };
  ConfFields either = own;
  either.insert(first.begin(), first.end());
  for (const auto& [path, ignored] : either) {
    const std::string here = value(own, path), there = value(first, path);
    if (here != there)
      Refuse(StrCat("job.conf, or a setting by -set, is not as in process 0: ", shown(path),
                    path == "neuralnet"
                        ? " differs"
                        : StrCat(" is ", shown(here), ", and ", shown(there), " in process 0")));
  }
}

void CheckStore(const ControlMessage::Alike::Store& first,
                const ControlMessage::Alike::Store& own) {
  if (first.layer() != own.layer() || first.records() != own.records())
    Refuse(StrCat("layer \"", own.layer(), "\" has ", RecordsText(own.records()),
                  " records, and in process 0 layer \"",
                  ShortText(Printable(first.layer()), kMostLayer), "\" has ",
                  RecordsText(first.records())));
  const bool known = first.fingerprint() != 0 && own.fingerprint() != 0;
  if (known && first.fingerprint() != own.fingerprint())
    Refuse(StrCat("the data of layer \"", own.layer(),
                  "\" is not as in process 0: its files have other names, sizes or first bytes"));
}

}  // namespace

ControlMessage::Alike AlikeOf(WorkerGroups* groups) {
  ControlMessage::Alike alike;
  alike.set_build(BuildId());
  const ConfFields settings = CommonFieldsOf(groups->process()->part().job());
  alike.mutable_settings()->insert(settings.begin(), settings.end());
  alike.set_gradients(WayOf(groups->plan()));
  if (!groups->teams().HasWorkers()) return alike;
  for (const InputFacts& input : InputsOf(&groups->lead().model().net())) {
    ControlMessage::Alike::Store* const store = alike.add_stores();
    store->set_layer(ShortText(input.layer, kMostLayer));
    store->set_records(input.facts.records);
    store->set_fingerprint(DataFingerprint(input.source.store.path));
  }
  return alike;
}

void CheckAlike(const ControlMessage::Alike& first, const ControlMessage::Alike& own) {
  const auto text = [](const std::string& id) { return ShortText(Printable(id), 64); };
  if (first.build() != own.build())
    Refuse(StrCat("this build of singa differs from that of process 0: ", own.build(), ", not ",
                  text(first.build())));
  CheckSettings({first.settings().begin(), first.settings().end()},
                {own.settings().begin(), own.settings().end()});
  if (first.gradients() != own.gradients())
    Refuse(
        StrCat("gradients travel by ", own.gradients(), " here, and by ", text(first.gradients()),
               " in process 0: set cluster.all_reduce.backend, or install Open MPI on all hosts"));
  const int stores = std::min(first.stores_size(), own.stores_size());
  for (int i = 0; i < stores; ++i) CheckStore(first.stores(i), own.stores(i));
}

}  // namespace singa
