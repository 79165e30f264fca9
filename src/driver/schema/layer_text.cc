#include "driver/schema/layer_text.h"

#include <glog/logging.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <cctype>
#include <deque>
#include <memory>
#include <sstream>
#include <string_view>

#include "base/text/aligned_table.h"
#include "base/text/counted.h"
#include "driver/conf/old_types.h"
#include "driver/schema/schema_comments.h"
#include "driver/schema/schema_files.h"
#include "driver/schema/schema_text.h"
#include "nn/input/store_settings.h"
#include "singa/base/str_cat.h"
#include "singa/nn/layer.h"
#include "singa/proto/job.pb.h"

namespace singa {
namespace {

namespace protobuf = google::protobuf;
using protobuf::EnumValueDescriptor;
using protobuf::FieldDescriptor;

LayerType LayerTypeOf(const EnumValueDescriptor& value) {
  return static_cast<LayerType>(value.number());
}

// Returns the registered types, in the order of the schema.
std::vector<const EnumValueDescriptor*> Registered() {
  std::vector<const EnumValueDescriptor*> types;
  const protobuf::EnumDescriptor& all = *LayerType_descriptor();
  for (int i = 0; i < all.value_count(); ++i)
    if (Layers().Has(all.value(i)->name())) types.push_back(all.value(i));
  return types;
}

// Returns "Neuron" of the section "Neuron: ...".
std::string KindOf(const EnumValueDescriptor& type) {
  const std::string section = SectionOf(type);
  return section.substr(0, section.find_first_of(":."));
}

// An old name, or a type that only the system sets.
bool IsForOthers(const EnumValueDescriptor& type) {
  return !OldTypeText(LayerTypeOf(type)).empty() ||
         MeaningOf(type).text.starts_with("set by the system");
}

// Returns the type that `type` is another name of, or itself.
const EnumValueDescriptor& Plain(const EnumValueDescriptor& type) {
  const auto* const plain = LayerType_descriptor()->FindValueByName(MeaningOf(type).text);
  return plain ? *plain : type;
}

std::vector<std::string> RowOf(const EnumValueDescriptor& type) {
  const LayerMeaning meaning = MeaningOf(type);
  const bool alias = &Plain(type) != &type;
  return {"  " + type.name(), alias ? "old name of " + meaning.text : meaning.text,
          meaning.settings ? meaning.settings->name() : ""};
}

// Returns what Setup says if the layer has no source: "needs 1 source, has 0".
std::string SourcesOf(const LayerProto& conf) {
  ParamTable params;
  Declare declare(conf, &params);
  try {
    const std::unique_ptr<Layer> layer = MakeLayer(conf);
    std::deque<Port> ports(layer->wiring(conf).num_outputs);
    std::vector<Port*> out;
    out.reserve(ports.size());
    for (Port& port : ports) out.push_back(&port);
    layer->Setup(conf, declare, {}, out);
  } catch (const ConfigError& error) {
    if (!error.path().starts_with("srclayers")) return "none";
    constexpr std::string_view kNeeds = "needs ", kHas = ", has 0";
    std::string text = error.message();
    if (text.starts_with(kNeeds)) text.erase(0, kNeeds.size());
    text.resize(std::min(text.size(), text.find(kHas)));
    constexpr std::string_view kFrom = "from ", kNoLimit = " to 1048576";
    const size_t most = text.find(kNoLimit);
    if (text.starts_with(kFrom) && most != std::string::npos)
      text = text.substr(kFrom.size(), most - kFrom.size()) + " source or more";
    return text;
  } catch (const Error&) {  // it needs none, but settings or files
  }
  return "none";
}

// Returns whether an example should have the field: it has no default and no condition.
bool IsExemplary(const FieldDescriptor& field) {
  if (field.is_required()) return true;
  const std::string comment = CommentOf(field);
  return !field.has_default_value() && field.message_type() == nullptr && IsForUsers(field) &&
         !comment.starts_with("For ") && comment.find("wins over") == std::string::npos &&
         comment.find("win over") == std::string::npos;
}

const JobProto& Reference() {
  static const JobProto job = [] {
    JobProto parsed;
    CHECK(protobuf::TextFormat::ParseFromString(ReferenceConfText(), &parsed));
    return parsed;
  }();
  return job;
}

// Removes from the example's settings what a first use does not need.
void Shorten(const FieldDescriptor& settings, LayerProto* example) {
  protobuf::Message* const message = example->GetReflection()->MutableMessage(example, &settings);
  std::vector<const FieldDescriptor*> set;
  message->GetReflection()->ListFields(*message, &set);
  for (const FieldDescriptor* field : set)
    if (!IsExemplary(*field)) message->GetReflection()->ClearField(message, field);
  set.clear();
  message->GetReflection()->ListFields(*message, &set);
  if (set.empty()) example->GetReflection()->ClearField(example, &settings);
}

// Describes a table if the layer reads lines: the reference describes a store of records.
void SetTable(LayerProto* example) {
  LayerProto bare;
  bare.set_type(example->type());
  const StoreSettings settings = SettingsOf(bare);
  if (settings.format != ValueFormat::kCsv) return;
  StoreProto* const store = example->mutable_store_conf();
  store->Clear();
  store->set_backend(settings.backend);
  store->set_path("table.csv");
  store->set_header(true);
  store->set_label_column("class");
  store->add_batchsize(32);
  store->add_shape(4);
}

std::string Indented(const std::string& text, size_t indent) {
  std::istringstream lines(text);
  std::string indented;
  for (std::string line; std::getline(lines, line);)
    indented += std::string(indent, ' ') + line + "\n";
  return indented;
}

std::string ExampleText(const LayerProto& example) {
  protobuf::TextFormat::Printer printer;
  printer.SetUseShortRepeatedPrimitives(true);
  std::string text;
  CHECK(printer.PrintToString(example, &text));
  return "example (in neuralnet):\n  layer {\n" + Indented(text, 4) + "  }\n";
}

std::string TextOf(const EnumValueDescriptor& type) {
  const LayerMeaning meaning = MeaningOf(type);
  std::string kind = KindOf(type);
  kind[0] = static_cast<char>(std::tolower(kind[0]));
  std::string text = Wrapped("", StrCat(type.name(), ": ", meaning.text, " (", kind, " layer)"), 2);
  const std::string old = OldTypeText(LayerTypeOf(type));
  if (!old.empty()) text += Wrapped("", old + ".", 2);
  const LayerProto example = ExampleOf(LayerTypeOf(type));
  std::string sources = SourcesOf(example);
  if (sources == "none" && example.srclayers_size() > 0)  // Setup does not look at them
    sources = Counted(example.srclayers_size(), "source");
  text += "\nsources: " + sources + "\n";
  if (meaning.settings) {
    const protobuf::Descriptor& message = *meaning.settings->message_type();
    text += StrCat("settings: ", meaning.settings->name(), ", a ", message.name(), "\n");
    if (const std::string comment = CommentOf(message); !comment.empty())
      text += "\n" + Wrapped("  ", comment, 2);
    text += "\n" + FieldsText(message);
  } else {
    text += "settings: none of its own\n";
  }
  return text + "\n" + ExampleText(example) +
         "\nFields of every layer, such as include and param: singa help LayerProto\n";
}

std::string UserText(const std::string& name) {
  std::string text = name + ": a layer of a plugin; user_type: \"" + name + "\"\n";
  std::vector<const FieldDescriptor*> extensions;
  protobuf::DescriptorPool::generated_pool()->FindAllExtensions(LayerProto::descriptor(),
                                                                &extensions);
  for (const FieldDescriptor* extension : extensions) {
    text += StrCat("\nsettings of plugins' layers: [", extension->full_name(), "]\n");
    if (extension->message_type()) text += FieldsText(*extension->message_type());
  }
  return text;
}

}  // namespace

std::string LayersText() {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> heads;  // of the groups of rows, which begin with an empty row
  const auto begin = [&](const std::string& head) {
    heads.push_back(head);
    rows.push_back({"", "", ""});
  };
  std::string kind;
  const std::vector<const EnumValueDescriptor*> types = Registered();
  for (const EnumValueDescriptor* type : types) {
    if (IsForOthers(*type)) continue;
    if (KindOf(*type) != kind) begin((kind = KindOf(*type)) + " layers");
    rows.push_back(RowOf(*type));
  }
  const std::vector<std::string> own = UserLayers().Names();
  if (!own.empty()) begin("Layers of plugins");
  for (const std::string& name : own) rows.push_back({"  " + name, "", ""});
  begin("For old files, or set by the system");
  for (const EnumValueDescriptor* type : types)
    if (IsForOthers(*type)) rows.push_back(RowOf(*type));
  std::istringstream lines(AlignedTable(rows, 3));
  std::string text;
  auto head = heads.begin();
  for (std::string line; std::getline(lines, line);)
    text += line.empty() ? (text.empty() ? "" : "\n") + *head++ + "\n" : line + "\n";
  return text;
}

std::vector<std::string> LayerNames() {
  std::vector<std::string> names;
  for (const EnumValueDescriptor* type : Registered()) names.push_back(type->name());
  const std::vector<std::string> own = UserLayers().Names();
  names.insert(names.end(), own.begin(), own.end());
  return names;
}

std::optional<std::string> LayerTextOf(const std::string& name) {
  if (UserLayers().Has(name)) return UserText(name);
  const auto* const type = LayerType_descriptor()->FindValueByName(name);
  if (!type || type->number() == kUserLayer) return {};
  const EnumValueDescriptor& plain = Plain(*type);
  if (&plain == type) return TextOf(*type);
  return StrCat(OldTypeText(LayerTypeOf(*type)), ".\n\n", TextOf(plain));
}

LayerProto ExampleOf(LayerType type) {
  const EnumValueDescriptor& value = *LayerType_descriptor()->FindValueByNumber(type);
  const FieldDescriptor* const settings = MeaningOf(value).settings;
  const auto& layers = Reference().neuralnet().layer();
  const auto with_settings = std::find_if(layers.begin(), layers.end(), [&](const LayerProto& one) {
    return settings && one.GetReflection()->HasField(one, settings);
  });
  const auto of_type = std::find_if(layers.begin(), layers.end(),
                                    [&](const LayerProto& one) { return one.type() == type; });
  LayerProto example;
  if (with_settings != layers.end()) {
    example = *with_settings;
    std::vector<const FieldDescriptor*> set;
    example.GetReflection()->ListFields(example, &set);
    for (const FieldDescriptor* field : set)
      if (field != settings) example.GetReflection()->ClearField(&example, field);
    Shorten(*settings, &example);
  }
  example.set_type(type);
  SetTable(&example);
  if (of_type != layers.end()) {
    example.set_name(of_type->name());
    *example.mutable_srclayers() = of_type->srclayers();
    return example;
  }
  example.set_name("mine");
  example.add_srclayers("source");
  const std::string sources = SourcesOf(example);
  if (sources == "none") example.clear_srclayers();
  if (sources.starts_with('2')) example.add_srclayers("other");
  return example;
}

}  // namespace singa
