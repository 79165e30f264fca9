#include "driver/serve/serve_predictions.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "driver/serve/batch_queue.h"
#include "driver/serve/batch_worker.h"
#include "driver/serve/predict_site.h"
#include "driver/serve/serve_counters.h"
#include "singa/base/error.h"

namespace singa {
namespace {

using nlohmann::ordered_json;

constexpr int64_t kMostRecords = 1024;     // of a request
constexpr int64_t kMostScores = 1 << 18;   // of a request; as text they take some 15 MB
constexpr int64_t kMostQueued = 64 << 20;  // numbers that go in and out for all that wait

int64_t NumbersOf(const Model& model) { return model.input_size() + model.output_size(); }

// Returns the most records that are computed together. Four such batches can wait.
int64_t BatchOf(const ServedModel& served) {
  const int64_t most = std::max<int64_t>(1, kMostQueued / 4 / NumbersOf(served.model));
  return std::min(served.request.session.max_batch, most);
}

InputForm FormOf(const ServedModel& served) {
  const Model& model = served.model;
  InputForm form = {
      .shape = model.input_shape(), .size = model.input_size(), .vocabulary = served.vocabulary};
  form.most_records = std::clamp<int64_t>(kMostScores / model.output_size(), 1, kMostRecords);
  // The scores of a step do not depend on what stands after it.
  form.short_texts = model.causal() && model.output_steps() == model.input_steps();
  return form;
}

// Returns why the net takes no pictures; "": it does.
std::string WhyNoPictures(const ServedModel& served) {
  if (served.vocabulary) return "the net reads texts, not pictures";
  std::vector<std::string> warnings;
  try {
    CheckPictures("a picture", {}, served.request.source, &warnings);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// Describes a record. For a net that reads a text: the characters by their indices, with the names
// that classes have, and the least length of a text.
ordered_json InputOf(const ServedModel& served, const InputForm& form) {
  ordered_json input = {{"layer", served.model.input_layer()}, {"shape", form.shape}};
  if (!served.vocabulary) return input;
  ordered_json& characters = input["characters"] = ordered_json::array();
  for (int i = 0; i < served.vocabulary->size(); ++i)
    characters.push_back(CharacterName(static_cast<uint8_t>(served.vocabulary->Character(i))));
  input["shortest_text"] = form.short_texts ? 1 : form.size;
  return input;
}

std::string DescriptionOf(const ServedModel& served, const InputForm& form, int64_t batch) {
  const Model& model = served.model;
  ordered_json text = {{"name", served.name},
                       {"checkpoint", model.files()},
                       {"input", InputOf(served, form)},
                       {"output", {{"layer", model.layer()}, {"shape", model.output_shape()}}},
                       {"classes", served.request.format.classes},
                       {"targets", served.request.format.targets},
                       {"batch", batch},
                       {"records", form.most_records},
                       {"topk", served.request.format.top}};
  return JsonBody(text);
}

}  // namespace

void ServePredictions(const ServedModel& served, HttpPlace* place) {
  const Model& model = served.model;
  const InputForm form = FormOf(served);
  SessionOptions session = served.request.session;
  const int64_t batch = session.max_batch = BatchOf(served);
  BatchQueue queue(batch, std::max(kMostQueued / NumbersOf(model), 4 * batch));
  ServeCounters counters;
  PredictSiteOptions options = {.token = place->token(),
                                .description = DescriptionOf(served, form, batch),
                                .form = form,
                                .output_steps = model.output_steps(),
                                .outputs = served.request.source.outputs,
                                .format = served.request.format,
                                .short_side = ShortSideOf(served.request.source),
                                .why_no_pictures = WhyNoPictures(served)};
  options.format.steps = model.output_steps() > 1;
  PredictSite site(std::move(options), &queue, &counters);
  struct EndQueue {
    BatchQueue& queue;
    ~EndQueue() { queue.End(); }
  };
  const BatchWorker worker(model, session, &queue, &counters);
  const EndQueue end = {queue};  // before the worker is joined
  place->Serve(&site, "ask this net for predictions");
}

}  // namespace singa
