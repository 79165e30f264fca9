#include "nn/input/store_input.h"

#include <algorithm>
#include <numeric>

#include "base/text/counted.h"
#include "base/text/element_path.h"
#include "io/picture/image_decoder.h"
#include "nn/feature/own_rows.h"
#include "nn/input/store_settings.h"
#include "singa/base/error.h"

namespace singa {
namespace {

void CheckSynthetic(const SyntheticProto& conf) {
  constexpr int32_t kMost = 100'000'000;  // the order of records takes memory
  if (conf.records() < 1 || conf.records() > kMost)
    throw ConfigError("synthetic_conf.records",
                      StrCat("must be from 1 to ", kMost, ", is ", conf.records()));
  if (conf.classes() < 1)
    throw ConfigError("synthetic_conf.classes", StrCat("must be >= 1, is ", conf.classes()));
}

}  // namespace

Wiring StoreInput::wiring(const LayerProto& conf) const {
  // A wrong number counts, too, so that Setup alone reports it.
  const bool targets = field_ == "store_conf" && conf.store_conf().num_targets() != 0;
  return {.num_outputs = targets ? 2 : 1,
          .outputs_by_name = true,
          .is_input = true,
          .differentiable = false};
}

void StoreInput::Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) {
  declare.Sources(in, 0);
  const StoreProto store = Settings(conf);
  options_ = {};
  options_.order.stream = conf.name();
  options_.order.group = declare.group();
  options_.order.groups = declare.groups();
  try {
    SetStore(store, &declare);
    SetTargets(store);
    SetReading(store);
    SetShape(store);
    SetNormalisation(store, &declare);
    SetRows(store, conf);
  } catch (const ConfigError& error) {
    throw error.Under(field_);
  }
  SetOutput(out[0]);
  if (options_.store.targets == 0) return;
  out[1]->data.SetShape({options_.rows, options_.store.targets});
  out[1]->span = out[0]->span;
}

StoreProto StoreInput::Settings(const LayerProto& conf) const {
  if (!conf.has_store_conf()) throw ConfigError("store_conf", "must be set");
  return conf.store_conf();
}

void StoreInput::Prepare(Context&, Declare& declare, Inputs, Outputs) {
  declare.Keeps(options_.ring_bytes());
}

void StoreInput::SetStore(const StoreProto& conf, Declare* declare) {
  options_.backend = conf.has_backend() ? conf.backend() : default_backend_;
  try {
    CheckBackend(options_.backend);
  } catch (const ConfigError& error) {
    throw error.Under("backend");
  }
  const StoreTraits& traits = TraitsOf(options_.backend);
  const bool synthetic = traits.no_file;
  if (format_ == ValueFormat::kCsv && !traits.any_format && !synthetic)
    throw ConfigError("backend", StrCat("must be kvfile or textfile, is \"", options_.backend,
                                        "\", which is for kRecordInput"));
  if (synthetic) CheckSynthetic(conf.synthetic_conf());
  if (!synthetic && conf.path().empty()) throw ConfigError("path", "must be set");
  if (!synthetic) declare->File(field_ + ".path", conf.path());
  if (traits.label_file && conf.has_label()) {
    if (conf.label_path().empty())
      throw ConfigError("label_path", StrCat("backend \"", options_.backend,
                                             "\" has its labels in a file of their own: "
                                             "name it, or set has_label: false"));
    declare->File(field_ + ".label_path", conf.label_path());
  }
  const bool numbers = traits.encoded == Encoded::kRefused || format_ == ValueFormat::kCsv;
  if (conf.encoded() && numbers && !synthetic)
    throw ConfigError("encoded", "is for image files in the records of a kvfile or textfile");
  options_.store = {conf.path(), conf.label_path(), format_};
  options_.store.has_label = conf.has_label();
  options_.store.encoded = conf.encoded();
  SetLines(conf, options_.backend, &options_.store);
  if (!synthetic) return;
  options_.store.path = options_.backend;
  options_.store.records = conf.synthetic_conf().records();
  options_.store.classes = conf.synthetic_conf().classes();
}

// Sets the number of targets, which stand in place of a label.
void StoreInput::SetTargets(const StoreProto& conf) {
  constexpr int32_t kMost = 1'000'000;
  if (conf.num_targets() < 0 || conf.num_targets() > kMost)
    throw ConfigError("num_targets",
                      StrCat("must be from 0 to ", kMost, ", is ", conf.num_targets()));
  if (conf.num_targets() == 0) return;
  if (!TraitsOf(options_.backend).targets)
    throw ConfigError("num_targets",
                      StrCat("records of backend \"", options_.backend,
                             "\" have no targets; those of imagelist, kvfile and textfile have"));
  options_.store.targets = conf.num_targets();
  options_.store.has_label = false;
}

// Sets the order of records, the threads, and the limit of bad records.
void StoreInput::SetReading(const StoreProto& conf) {
  constexpr int kMostThreads = 64;
  if (conf.random_skip() < 0)
    throw ConfigError("random_skip", StrCat("must be >= 0, is ", conf.random_skip()));
  if (conf.decode_threads() < 1 || conf.decode_threads() > kMostThreads)
    throw ConfigError("decode_threads",
                      StrCat("must be from 1 to ", kMostThreads, ", is ", conf.decode_threads()));
  if (conf.max_bad_records() < 1)
    throw ConfigError("max_bad_records", StrCat("must be >= 1, is ", conf.max_bad_records()));
  options_.order.shuffle = conf.shuffle();
  options_.order.random_skip = conf.random_skip();
  options_.threads = conf.decode_threads();
  options_.max_bad = MaxBadOf(conf);
  options_.store.skips_bad = options_.max_bad > 0;
}

void StoreInput::SetShape(const StoreProto& conf) {
  if (conf.shape_size() == 0) throw ConfigError("shape", "must be set");
  if (conf.shape_size() >= Shape::kMaxDims)
    throw ConfigError(
        ElementPath("shape", Shape::kMaxDims - 1),
        StrCat("must have at most ", Shape::kMaxDims - 1, " sizes, has ", conf.shape_size()));
  for (int i = 0; i < conf.shape_size(); ++i) {
    if (conf.shape(i) <= 0)
      throw ConfigError(ElementPath("shape", i), StrCat("must be > 0, is ", conf.shape(i)));
    options_.shape.push_back(conf.shape(i));
  }
  options_.store.shape = options_.shape;
  const Encoded encoded = TraitsOf(options_.backend).encoded;
  CheckShortSide(
      conf, options_.shape,
      format_ == ValueFormat::kRecord &&
          (encoded == Encoded::kIgnored || (encoded == Encoded::kAsSaid && conf.encoded())));
  options_.store.short_side = conf.short_side();
  options_.store.colours = ColoursOf(conf);
  if (options_.store.colours != ColourOrder::kNotSaid &&
      (options_.shape.size() != 3 || options_.shape[0] != 3))
    throw ConfigError("colour_order", "is for pictures in colour: shape must be 3, height, width");
}

void StoreInput::SetNormalisation(const StoreProto& conf, Declare* declare) {
  options_.store.channels = PictureChannels(options_.shape);
  CheckNormalisation(conf, options_.shape);
  options_.norm = NormalisationOf(conf);
  if (!conf.mean_file().empty()) declare->File(field_ + ".mean_file", conf.mean_file());
  if (!conf.std_file().empty()) declare->File(field_ + ".std_file", conf.std_file());
}

// Sets the worker's rows of the group's batch; all rows if the units are partitioned.
void StoreInput::SetRows(const StoreProto& store, const LayerProto& conf) {
  const auto& sizes = store.batchsize();
  const int64_t parts = std::max(1, conf.num_partitions()), part = conf.partition_id();
  if (sizes.empty()) throw ConfigError("batchsize", "must be set");
  for (int i = 0; i < sizes.size(); ++i)
    if (sizes[i] <= 0)
      throw ConfigError(ElementPath("batchsize", i), StrCat("must be > 0, is ", sizes[i]));
  const int64_t batch = std::accumulate(sizes.begin(), sizes.end(), int64_t{0});
  options_.batch = options_.rows = batch;
  if (parts == 1) return;
  if (sizes.size() > 1) {
    if (sizes.size() != parts)
      throw ConfigError(ElementPath("batchsize", sizes.size() > parts ? parts : 1),
                        StrCat("must have one value, or one for each of the ", parts,
                               " workers of the group; has ", sizes.size()));
    options_.first = std::accumulate(sizes.begin(), sizes.begin() + part, int64_t{0});
    options_.rows = sizes[static_cast<int>(part)];
    return;
  }
  const RowSpan own = OwnRows(conf, "batchsize", batch);
  options_.first = own.first;
  options_.rows = own.rows;
}

void StoreInput::SetOutput(Port* out) const {
  std::vector<int64_t> dims = {options_.rows};
  dims.insert(dims.end(), options_.shape.begin(), options_.shape.end());
  Shape shape{std::span<const int64_t>(dims)};
  out->data.SetShape(shape);
  if (options_.store.has_label) out->label.SetShape({options_.rows}, DType::kI32);
  out->span.first = options_.first;
  out->span.rows = options_.rows;
  out->span.batch = options_.batch;
}

void StoreInput::Open(Context& ctx) {
  options_.order.seed = ctx.seed;
  StartReader();
}

void StoreInput::StartReader() {
  const std::vector<int64_t> bad = BadRecords();
  reader_ = std::make_unique<BatchReader>(options_);
  reader_->RestoreSkipped(bad);
  if (seek_ > 0) reader_->Seek(seek_);
}

// Adapts the reader to the phase, which is known only at the first batch. Training shuffles and
// applies random_skip; other phases read in the store's order, and kDeploy reads no labels.
void StoreInput::SetOrder(Phase phase) {
  const bool deploy = phase & kDeploy;
  if (deploy && options_.store.has_label) {
    seek_ = reader_->position();
    options_.store.has_label = false;
    StartReader();
  }
  const bool evaluation = phase & (kTest | kVal | kDeploy);
  if (evaluation == evaluation_) return;
  evaluation_ = evaluation;
  Seek(reader_->position());
}

void StoreInput::ComputeFeature(Context& ctx, Phase phase, Inputs, Outputs out) {
  SetOrder(phase);
  Tensor& label = out[0]->label;
  reader_->Next(ctx, out[0]->data.data(), label.empty() ? nullptr : label.as<int32_t>(),
                out.size() > 1 ? out[1]->data.data() : nullptr);
}

bool StoreInput::AwaitRecords(Phase phase, const std::function<bool()>& stop) {
  SetOrder(phase);
  return reader_->Await(stop);
}

int64_t StoreInput::Position() const { return reader_ ? reader_->position() : seek_; }

void StoreInput::Seek(int64_t position) {
  seek_ = position;
  if (!reader_) return;
  OrderOptions order = options_.order;
  if (evaluation_) {
    order.shuffle = false;
    order.random_skip = 0;
  }
  reader_->Seek(position, order);
}

int64_t StoreInput::CountRecords() {
  const int64_t all =
      reader_ ? reader_->Records() : OpenStore(options_.backend, options_.store)->size();
  return RecordsOfGroup(options_.order, all);
}

// Waits for the store only if it is a folder of pictures: its classes have the folders' names.
std::vector<std::string> StoreInput::ClassNames() {
  if (!options_.store.class_names.empty()) return options_.store.class_names;
  if (!reader_ || !TraitsOf(options_.backend).class_folders) return {};
  return reader_->Facts().classes;
}

std::pair<std::string, int64_t> StoreInput::RecordOfRow(int64_t row) const {
  if (!reader_) return {"", -1};
  const std::string& labels = options_.store.label_path;
  return {labels.empty() ? options_.store.path : labels, reader_->RecordOfRow(row)};
}

std::vector<int64_t> StoreInput::BadRecords() const {
  return reader_ ? reader_->skipped().list() : bad_;
}

void StoreInput::RestoreBadRecords(const std::vector<int64_t>& records) {
  bad_ = records;
  if (reader_) reader_->RestoreSkipped(records);
}

double StoreInput::TakeWaitMs() { return reader_ ? reader_->TakeWaitMs() : 0; }

StoreSettings StoreInput::SettingsOf(const LayerProto& conf) const {
  StoreSettings settings{.format = format_, .backend = default_backend_};
  if (field_ == "store_conf") settings.conf = conf.store_conf();
  if (settings.conf.has_backend()) settings.backend = settings.conf.backend();
  return settings;
}

StoreInput* StoreInputOf(Layer* layer) {
  RecordReader* const reader = layer->reader();
  return reader ? reader->store() : nullptr;
}

}  // namespace singa
