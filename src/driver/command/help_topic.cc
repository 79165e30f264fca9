#include "driver/command/help_topic.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <vector>

#include "base/text/edit_distance.h"
#include "base/text/lower_case.h"
#include "driver/arguments/arguments.h"
#include "driver/command/subcommand.h"
#include "driver/conf/diagnostic.h"
#include "driver/conf/job_conf.h"
#include "driver/conf/synonyms.h"
#include "driver/plugin/load_plugins.h"
#include "driver/schema/layer_text.h"
#include "driver/schema/schema_comments.h"
#include "driver/schema/schema_text.h"
#include "singa/base/str_cat.h"
#include "singa/proto/job.pb.h"

namespace singa {
namespace {

using google::protobuf::EnumDescriptor;
using google::protobuf::EnumValueDescriptor;
using google::protobuf::FieldDescriptor;

// Returns a path without its parts in brackets: neuralnet.layer.type of neuralnet.layer[NAME].type.
std::string Bare(const std::string& path) {
  std::string bare;
  bool inside = false;
  for (const char c : path) {
    if (c == '[') inside = true;
    if (!inside) bare += c;
    if (c == ']') inside = false;
  }
  return bare;
}

// Returns whether `topic` names the field at `place` by its path or the end of it, or by its
// message.
bool Names(const std::string& topic, const FieldPlace& place) {
  const std::string path = Bare(place.path);
  return path == topic || path.ends_with("." + topic) ||
         place.field->containing_type()->name() + "." + place.field->name() == topic;
}

// Returns the text of all fields that `topic` names; "": there is none.
std::string FieldTopic(const std::string& topic, const std::vector<FieldPlace>& all) {
  std::vector<const FieldDescriptor*> fields;
  std::map<const FieldDescriptor*, std::vector<std::string>> paths;
  for (const FieldPlace& place : all) {
    if (!Names(Bare(topic), place)) continue;
    if (paths[place.field].empty()) fields.push_back(place.field);
    paths[place.field].push_back(place.path);
  }
  constexpr size_t kMost = 4;  // paths of one field that are shown
  std::string text;
  for (const FieldDescriptor* field : fields) {
    const std::vector<std::string>& of_field = paths[field];
    text += text.empty() ? "" : "\n";
    text += Wrapped(field->containing_type()->name() + "." + field->name() + ": ",
                    MeaningOf(*field), 2);
    for (size_t i = 0; i < std::min(kMost, of_field.size()); ++i)
      text += (i == 0 ? "  path: " : "        ") + of_field[i] + "\n";
    if (of_field.size() > kMost) text += StrCat("        and ", of_field.size() - kMost, " more\n");
    // All fields below, if the topic is this field alone.
    if (field->message_type() && fields.size() == 1)
      text += "\n" + FieldsText(*field->message_type());
  }
  return text;
}

// Returns the enums of job.conf, each with the paths of its fields.
std::map<const EnumDescriptor*, std::vector<std::string>> Enums(
    const std::vector<FieldPlace>& all) {
  std::map<const EnumDescriptor*, std::vector<std::string>> enums;
  for (const FieldPlace& place : all)
    if (place.field->enum_type()) enums[place.field->enum_type()].push_back(place.path);
  return enums;
}

std::string ValueTopic(const std::string& topic, const std::vector<FieldPlace>& all) {
  std::string text;
  for (const auto& [type, paths] : Enums(all)) {
    const EnumValueDescriptor* const value = type->FindValueByName(topic);
    if (!value) continue;
    const std::string comment = CommentOf(*value);
    text += Wrapped(topic + (comment.empty() ? "" : ": "), comment, 2);
    text += StrCat("  a ", type->name(), ", value of ", paths.front(),
                   paths.size() > 1 ? StrCat(" and ", paths.size() - 1, " more") : "", "\n");
  }
  return text;
}

std::string MessageTopic(const std::string& topic, const std::vector<FieldPlace>& all) {
  std::set<const google::protobuf::Descriptor*> messages = {JobProto::descriptor()};
  for (const FieldPlace& place : all)
    if (place.field->message_type()) messages.insert(place.field->message_type());
  for (const google::protobuf::Descriptor* message : messages)
    if (message->name() == topic)
      return Wrapped(topic + ": ", CommentOf(*message), 2) + "\n" + FieldsText(*message);
  return "";
}

// Words with help of their own, which wins over a field of the same name: the fields, the layer or
// the subcommand that they are about.
struct WordTopic {
  const char* words;
  const char* topics;
};
constexpr WordTopic kWordTopics[] = {
    {"csv tsv table tables spreadsheet", "kCSVInput"},
    {"label labels", "StoreProto.has_label StoreProto.label_column StoreProto.class_names"},
    {"class class_name classes", "StoreProto.class_names"},
    {"column columns",
     "StoreProto.header StoreProto.label_column StoreProto.num_targets "
     "StoreProto.columns"},
    {"missing gap gaps skip",
     "ColumnProto.missing StoreProto.on_bad_record StoreProto.max_bad_records"},
    {"normalise normalize normalisation normalization",
     "StoreProto.channel_mean StoreProto.channel_std StoreProto.std_value"},
    {"split statistics convert", "data"},
    {"report confusion evaluate evaluation", "predict"},
};

// Returns the help on a layer type, a subcommand or a field.
std::string TextOfName(const std::string& name, const std::vector<FieldPlace>& all) {
  if (const std::optional<std::string> layer = LayerTextOf(name)) return *layer;
  const Subcommand* const command = FindSubcommand(name);
  return command ? command->help : FieldTopic(name, all);
}

// Returns the help on a word of kWordTopics, whatever its case; "": it is none.
std::string TextOfWord(const std::string& topic, const std::vector<FieldPlace>& all) {
  const std::string lower = LowerCase(topic);
  std::string text;
  for (const WordTopic& row : kWordTopics) {
    std::istringstream words(row.words), topics(row.topics);
    bool found = false;
    for (std::string word; words >> word;) found = found || word == lower;
    for (std::string name; found && topics >> name;)
      text += StrCat(text.empty() ? "" : "\n", TextOfName(name, all));
  }
  return text;
}

// Returns what else the user may have meant.
std::string Nearest(const std::string& topic, const std::vector<FieldPlace>& all) {
  std::vector<std::string> names = LayerNames();
  for (const Subcommand& known : Subcommands()) names.emplace_back(known.name);
  for (const FieldPlace& place : all) names.push_back(place.field->name());
  for (const auto& [type, paths] : Enums(all))
    for (int i = 0; i < type->value_count(); ++i) names.push_back(type->value(i)->name());
  return DidYouMean(topic, names);
}

// Returns `; did you mean "kConvolution"?` of Convolution, conv2d and kConvolutoin.
std::string NearestLayer(const std::string& type) {
  const std::string synonym = SynonymOf(*LayerType_descriptor(), type);
  if (!synonym.empty()) return StrCat("; did you mean \"", synonym, "\"?");
  const std::string guess = DidYouMean("k" + type, LayerNames());
  return guess.empty() ? DidYouMean(type, LayerNames()) : guess;
}

}  // namespace

void LoadPluginsForHelp(const std::vector<std::string>& plugins, const std::string& conf) {
  for (const std::string& plugin : plugins) LoadPlugin(plugin);
  if (conf.empty()) return;
  JobProto job;
  const JobConf parsed(conf, {}, &job);
  if (!parsed.ok()) std::fputs(parsed.Render().c_str(), stderr);
}

std::string HelpOn(const std::string& topic) {
  if (const std::optional<std::string> layer = LayerTextOf(topic)) return *layer;
  const std::vector<FieldPlace> all = AllFields();
  for (const auto& text : {ValueTopic(topic, all), TextOfWord(topic, all), FieldTopic(topic, all),
                           MessageTopic(topic, all)})
    if (!text.empty()) return text;
  std::string guess = Nearest(topic, all);
  if (guess.empty()) guess = NearestLayer(topic);
  throw UsageError("", StrCat("no help on \"", Excerpt(topic), "\"", guess));
}

std::string HelpOnLayer(const std::string& command, const std::string& type) {
  if (const std::optional<std::string> text = LayerTextOf(type)) return *text;
  throw UsageError(command, StrCat("no layer type \"", Excerpt(type), "\"", NearestLayer(type)));
}

}  // namespace singa
