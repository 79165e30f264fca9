// Warnings about settings that the rest of the conf makes idle.
#include <algorithm>

#include "cluster/protocol/gradient_codec.h"
#include "driver/conf/check_values.h"
#include "driver/conf/idle_fields.h"
#include "driver/conf/message_walk.h"
#include "driver/conf/old_types.h"
#include "io/store/store.h"
#include "nn/graph/wiring_of.h"

namespace singa {
namespace {

using google::protobuf::FieldDescriptor;
namespace protobuf = google::protobuf;

// Warns of the fields of one message that have no effect. Fields go by name.
class EffectCheck {
 public:
  EffectCheck(const protobuf::Message& message, const std::string& path, ConfigErrors* warnings)
      : message_(message), type_(*message.GetDescriptor()), path_(path), warnings_(warnings) {}

  void Check() {
    for (const Idle& row : kIdle)
      if (Is(row.message) && Has(row.field) && !IsDefault(row.field)) Warn(row.field, row.text);
    for (const ForTypes& row : kForTypes)
      if (Is(row.message) && Has(row.field)) CheckTypes(row);
    for (const Overruled& row : kOverruled)
      if (Is(row.message) && Has(row.field) && HasValue(row.winner) && !IsUserType(row.field))
        Warn(row.field, StrCat("has no effect: ", row.winner, " is set and takes precedence"));
    for (const Without& row : kWithout)
      if (Is(row.message) && Has(row.field) && Number(row.field) != 0 && Number(row.other) == 0 &&
          (!row.or_other || Number(row.or_other) == 0))
        Warn(row.field, StrCat("has no effect without ", row.other));
    for (const SwitchedOff& row : kSwitchedOff)
      if (Is(row.message) && Has(row.field) && Number(row.by) == 0)
        Warn(row.field, StrCat("has no effect with ", row.by, ": false"));
    if (Is("JobProto") && Has("precision") && !Has("gpu"))
      Warn("precision", "has no effect without gpu: the CPU computes in float32");
    if (Is("JobProto")) CheckCompression(static_cast<const JobProto&>(message_));
    if (Is("LayerProto")) CheckLayer(static_cast<const LayerProto&>(message_));
    if (Is("StoreProto")) CheckStore(static_cast<const StoreProto&>(message_));
    if (Is("NetProto")) CheckWindows(static_cast<const NetProto&>(message_));
    if (Is("PoolingProto")) CheckPooling(static_cast<const PoolingProto&>(message_));
    if (Is("RGBImageProto")) CheckCrop(static_cast<const RGBImageProto&>(message_));
    if (Is("LRGenProto")) CheckUnit(static_cast<const LRGenProto&>(message_));
    if (Is("RNNDummyProto")) CheckDummy(static_cast<const RNNDummyProto&>(message_));
  }

 private:
  bool Is(const char* message) const {
    return type_.name() == message && type_.file()->package() == "singa";
  }
  const FieldDescriptor& Field(const char* name) const { return *type_.FindFieldByName(name); }
  bool Has(const char* name) const {
    const FieldDescriptor& field = Field(name);
    const auto* reflection = message_.GetReflection();
    return field.is_repeated() ? reflection->FieldSize(message_, &field) > 0
                               : reflection->HasField(message_, &field);
  }
  // Returns whether the field is set. An empty text, such as the name of a file, counts as not set.
  bool HasValue(const char* name) const {
    const FieldDescriptor& field = Field(name);
    if (field.is_repeated() || field.cpp_type() != FieldDescriptor::CPPTYPE_STRING)
      return Has(name);
    return !message_.GetReflection()->GetString(message_, &field).empty();
  }
  bool IsDefault(const char* name) const {
    const FieldDescriptor& field = Field(name);
    if (field.is_repeated() || field.message_type() ||
        field.cpp_type() == FieldDescriptor::CPPTYPE_STRING)
      return false;
    const protobuf::Message& unset =
        *message_.GetReflection()->GetMessageFactory()->GetPrototype(&type_);
    return Number(name) == NumberIn(unset, field, 0);
  }
  double Number(const char* name) const { return NumberIn(message_, Field(name), 0); }
  std::string EnumName(const char* name) const {
    return message_.GetReflection()->GetEnum(message_, &Field(name))->name();
  }
  // Returns whether the field is "type: kUserLayer", which does not contradict a user_type.
  bool IsUserType(const char* field) const {
    return Field(field).enum_type() && EnumName(field).rfind("kUser", 0) == 0;
  }
  // Warns once for each field. The warning of the outer message comes first.
  void Warn(const std::string& field, const std::string& text) {
    const std::string path = JoinPath(path_, field);
    if (std::none_of(warnings_->begin(), warnings_->end(),
                     [&path](const ConfigError& warning) { return warning.path() == path; }))
      warnings_->push_back(ConfigError(path, text));
  }

  void CheckTypes(const ForTypes& row) {
    const FieldDescriptor* user = type_.FindFieldByName("user_type");
    if (!user) user = type_.FindFieldByName("user_alg");
    if (user && Has(user->name().c_str())) return;  // a user's layer may read any field
    const std::string type = EnumName(row.by);
    if (type.rfind("kUser", 0) == 0) return;  // an error, reported elsewhere
    if ((" " + std::string(row.types) + " ").find(" " + type + " ") != std::string::npos) return;
    std::string types;
    for (char c : std::string(row.types)) types += c == ' ' ? ", " : std::string(1, c);
    Warn(row.field, StrCat("has no effect with ", row.by, ": ", type, "; it is for ", types));
  }

  // Warns of settings of sparse gradients that another message, or the share sent, leaves idle.
  void CheckCompression(const JobProto& job) {
    const AllReduceProto& conf = job.cluster().all_reduce();
    const bool later = SendsLater(conf) && job.has_updater();
    const auto warn = [&](const std::string& field, const std::string& text) {
      Warn("cluster.all_reduce." + field, "has no effect" + text);
    };
    if (later && conf.has_local_clipping() && job.updater().clip_norm() == 0)
      warn("local_clipping", " without updater.clip_norm");
    constexpr float kFirstShare = 0.25f;  // of the warm-up of kTopK
    if (conf.compression() == AllReduceProto::kTopK && conf.warmup_steps() > 0 &&
        conf.sparsity() >= kFirstShare)
      warn("warmup_steps",
           StrCat(": the share falls from 0.25 to sparsity, which is ", conf.sparsity()));
  }

  void CheckStore(const StoreProto& store) {
    const StoreTraits& traits = TraitsOf(store.backend());
    if (store.has_max_bad_records() && store.on_bad_record() != StoreProto::kSkip)
      Warn("max_bad_records", "has no effect without on_bad_record: kSkip");
    if (store.has_label_path() && !traits.label_file)
      Warn("label_path", "has no effect: only backend \"idx\" has labels in a file of their own");
    if (store.num_targets() > 0 && store.has_has_label() && store.has_label())
      Warn("has_label", "has no effect: num_targets puts targets in place of the label");
    if (!store.label_column().empty() && !store.has_label() && store.num_targets() == 0)
      Warn("label_column", "has no effect with has_label: false and without num_targets");
    if (store.has_root_folder() && (!traits.picture_files || traits.class_folders))
      Warn("root_folder", "has no effect: only backend \"imagelist\" has names of files");
    const bool synthetic = traits.no_file;
    if (store.has_path() && synthetic)
      Warn("path", "has no effect: backend \"synthetic\" has no file");
    if (!store.class_names().empty() && synthetic)
      Warn("class_names", "has no effect: labels of backend \"synthetic\" are no words");
    if (!store.columns().empty() && synthetic)
      Warn("columns", "has no effect: backend \"synthetic\" has no columns");
    if (store.encoded() && traits.encoded == Encoded::kIgnored)
      Warn("encoded", StrCat("has no effect with backend \"", store.backend(), "\""));
    if (store.has_synthetic_conf() && !synthetic)
      Warn("synthetic_conf", "has no effect: it is for backend \"synthetic\"");
  }

  // Warns of windows in a net without layers that keep the steps of one. A user's layer may.
  void CheckWindows(const NetProto& net) {
    const bool keeps = std::ranges::any_of(net.layer(), [](const LayerProto& layer) {
      const std::string type = LayerType_Name(layer.type());
      return layer.has_user_type() || std::ranges::count(kWindowTypes, type) > 0;
    });
    if (keeps) return;
    const std::vector<std::string> paths = LayerPaths(net.layer());
    for (int i = 0; i < net.layer_size(); ++i)
      if (net.layer(i).rnn_dummy_conf().has_window())
        Warn(paths[i] + ".rnn_dummy_conf.window",
             "has no effect: the net has no kAttention and no kPositionEmbedding");
  }

  void CheckPooling(const PoolingProto& pooling) {
    if (pooling.global_pooling() && pooling.ceil_mode())
      Warn("ceil_mode", "has no effect with global_pooling: true: the window is the whole image");
  }

  void CheckCrop(const RGBImageProto& image) {
    if (image.cropsize() > 0 && image.crop_height() > 0 && image.crop_width() > 0)
      Warn("cropsize", "has no effect: crop_height and crop_width are set and take precedence");
  }

  void CheckUnit(const LRGenProto& rate) {
    if (rate.unit() == LRGenProto::kEpochs && !rate.has_user_type() && rate.type() == kFixed &&
        rate.warmup_steps() == 0)
      Warn("unit", "has no effect with type: kFixed without warmup_steps");
  }

  void CheckDummy(const RNNDummyProto& dummy) {
    if (dummy.has_vocab_path() && dummy.prime().empty())
      Warn("vocab_path", "has no effect without prime");
    if (dummy.prime().empty() || !dummy.has_dynamic_srclayer()) return;
    for (const char* field : {"low", "high", "integer"})
      if (Has(field)) Warn(field, "has no effect: prime gives the first values");
  }

  // Warns of settings of an output layer that only readers of a store use.
  void CheckOutputStore(const LayerProto& layer) {
    if (!WritesFile(layer)) return;
    const protobuf::Message& store = layer.store_conf();
    std::vector<const FieldDescriptor*> fields;
    store.GetReflection()->ListFields(store, &fields);
    for (const FieldDescriptor* field : fields)
      if (field->name() != "backend" && field->name() != "path")
        Warn(StrCat("store_conf.", field->name()), "has no effect: the layer writes a store");
  }

  // Warns of a field that has no effect with the layer's type.
  void CheckSettings(const IdleWith& row) {
    const std::string path = JoinPath(path_, row.settings);
    const auto& settings = message_.GetReflection()->GetMessage(message_, &Field(row.settings));
    EffectCheck inner(settings, path, warnings_);
    if (inner.Has(row.field) && (row.even_default || !inner.IsDefault(row.field)))
      inner.Warn(row.field, row.text);
  }

  void CheckLayer(const LayerProto& layer) {
    if (layer.has_user_type()) return;
    CheckOutputStore(layer);
    for (const IdleWith& row : kIdleWith)
      if (EnumName("type") == row.type) CheckSettings(row);
    if (const std::string text = OldTypeText(layer.type()); !text.empty()) Warn("type", text);
  }

  const protobuf::Message& message_;
  const google::protobuf::Descriptor& type_;
  const std::string& path_;
  ConfigErrors* warnings_;
};

}  // namespace

void WarnWithoutEffect(const protobuf::Message& message, ConfFindings* found) {
  WalkMessages(message, "", [found](const protobuf::Message& part, const std::string& path) {
    EffectCheck(part, path, &found->warnings).Check();
  });
}

}  // namespace singa
