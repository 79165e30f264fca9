#include "driver/conf/repeat_blocks.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text/element_path.h"
#include "base/text/parse_number.h"
#include "driver/conf/check_values.h"
#include "driver/conf/diagnostic.h"
#include "driver/conf/message_walk.h"

namespace singa {
namespace {

using google::protobuf::FieldDescriptor;

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsName(std::string_view text) {
  if (text.empty() || IsDigit(text[0])) return false;
  for (const char c : text)
    if (!IsLetter(c) && !IsDigit(c)) return false;
  return true;
}

// The texts of one copy.
class CopyTexts {
 public:
  CopyTexts(std::string index, int64_t number) : index_(std::move(index)), number_(number) {}

  // Replaces {i}, {i+N} and {i-N} in all texts of `message`, which has the path `path`.
  void Replace(const std::string& path, google::protobuf::Message* message,
               ConfigErrors* errors) const {
    const auto* reflection = message->GetReflection();
    std::vector<const FieldDescriptor*> fields;
    reflection->ListFields(*message, &fields);
    for (const FieldDescriptor* field : fields) {
      const std::string place = JoinPath(path, FieldPart(*field));
      if (!field->is_repeated()) {
        if (field->message_type())
          Replace(place, reflection->MutableMessage(message, field), errors);
        else if (field->type() == FieldDescriptor::TYPE_STRING)
          reflection->SetString(message, field,
                                NewText(place, reflection->GetString(*message, field), errors));
        continue;
      }
      for (int i = 0; i < reflection->FieldSize(*message, field); ++i) {
        if (field->message_type())
          Replace(StrCat(place, "[", i, "]"), reflection->MutableRepeatedMessage(message, field, i),
                  errors);
        else if (field->type() == FieldDescriptor::TYPE_STRING)
          reflection->SetRepeatedString(
              message, field, i,
              NewText(ElementPath(place, i), reflection->GetRepeatedString(*message, field, i),
                      errors));
      }
    }
  }

 private:
  std::string NewText(const std::string& path, const std::string& text,
                      ConfigErrors* errors) const {
    std::string made;
    size_t begin = 0;
    for (size_t open; (open = text.find('{', begin)) != std::string::npos;) {
      const size_t close = text.find('}', open);
      if (close == std::string::npos) {
        errors->emplace_back(path, StrCat("a brace in a repeat must be closed, as in {", index_,
                                          "}, is ", Excerpt(text.substr(open))));
        return text;
      }
      const std::string_view inner = std::string_view(text).substr(open + 1, close - open - 1);
      int64_t number = 0;
      if (!NumberOf(inner, &number)) {
        errors->emplace_back(path, StrCat("braces in a repeat must hold {", index_, "}, {", index_,
                                          "+N} or {", index_, "-N}, hold {", Excerpt(inner), "}"));
        return text;
      }
      if (number < 0) {
        errors->emplace_back(path,
                             StrCat("{", inner, "} must be >= 0, is ", number, " in copy ", number_,
                                    ", the first; set first: ", number_ - number, " or more"));
        return text;
      }
      made.append(text, begin, open - begin);
      made += std::to_string(number);
      begin = close + 1;
    }
    return made + text.substr(begin);
  }

  // Sets *number to the value of "i", "i+N" or "i-N". Returns false for other texts.
  bool NumberOf(std::string_view text, int64_t* number) const {
    *number = number_;
    if (!text.starts_with(index_)) return false;
    text.remove_prefix(index_.size());
    if (text.empty()) return true;
    if ((text[0] != '+' && text[0] != '-') || text.size() < 2 || !IsDigit(text[1])) return false;
    const std::optional<int32_t> offset = ParseNumber<int32_t>(text.substr(1));
    if (!offset) return false;
    *number += text[0] == '+' ? *offset : -static_cast<int64_t>(*offset);
    return true;
  }

  const std::string index_;
  const int64_t number_;
};

// Most bytes of all copies, as of a conf's file: a long text may be copied many times.
constexpr int64_t kMostCopiedBytes = int64_t{16} << 20;

// A layer of a block in one copy.
struct Copy {
  LayerProto layer;
  int block, place;  // the block in NetProto.repeat, the layer in the block
};

// Returns the bytes of a block's copies, with braces as they are in the block.
int64_t BytesOf(const RepeatProto& block) {
  return int64_t{block.times()} * static_cast<int64_t>(block.ByteSizeLong());
}

// Adds an error for each layer whose copies would have one name.
void CheckNames(const RepeatProto& block, ConfigErrors* errors) {
  std::vector<std::string> names;
  for (const LayerProto& layer : block.layer()) names.push_back(layer.name());
  const std::vector<std::string> paths = LayerPaths(names);
  for (size_t i = 0; i < names.size(); ++i)
    if (!names[i].empty() && names[i].find('{') == std::string::npos)
      errors->emplace_back(paths[i] + ".name", StrCat("must have {", block.index(),
                                                      "}, as each copy needs its own name"));
}

// Checks a block's own settings. `others`: layers of the net so far. `bytes`: those of all copies
// of earlier blocks.
ConfigErrors MistakesIn(const RepeatProto& block, int64_t others, int64_t bytes) {
  ConfigErrors errors;
  const int64_t layers = others + int64_t{block.times()} * block.layer_size();
  if (!block.has_times())
    errors.emplace_back("times", "is required, but missing");
  else if (block.times() < 1)
    errors.emplace_back("times", StrCat("must be >= 1, is ", block.times()));
  else if (layers > kMaxLayers)
    errors.emplace_back("times",
                        StrCat("gives the net ", layers, " layers, more than ", kMaxLayers));
  else if (bytes + BytesOf(block) > kMostCopiedBytes)
    errors.emplace_back("times", "gives copies of more than 16 MiB, the limit of a conf");
  if (block.layer_size() == 0) errors.emplace_back("layer", "is missing: there is nothing to copy");
  if (block.first() < 0) errors.emplace_back("first", StrCat("must be >= 0, is ", block.first()));
  if (!IsName(block.index()))
    errors.emplace_back("index", StrCat("must be a name of letters, digits and _, is \"",
                                        Excerpt(block.index()), "\""));
  if (block.times() > 1 && errors.empty()) CheckNames(block, &errors);
  return errors;
}

// Adds the copies of a block. Stops after the first copy with mistakes, as others have them, too.
void CopyBlock(const RepeatProto& block, int number, std::vector<Copy>* copies,
               ConfigErrors* errors) {
  const std::vector<std::string> paths = LayerPaths(block.layer());
  const size_t known = errors->size();
  for (int copy = 0; copy < block.times() && errors->size() == known; ++copy) {
    const CopyTexts texts(block.index(), int64_t{block.first()} + copy);
    for (int i = 0; i < block.layer_size(); ++i) {
      copies->push_back({block.layer(i), number, i});
      texts.Replace(StrCat("repeat[", number, "].", paths[i]), &copies->back().layer, errors);
    }
  }
}

// Gives each copy a node with the places of the layer in the block.
void TakePlaces(const std::vector<Copy>& copies, int first, ConfNode* places) {
  const auto* const repeat = NetProto::descriptor()->FindFieldByName("repeat");
  const auto* const layer = NetProto::descriptor()->FindFieldByName("layer");
  const auto* const inner = RepeatProto::descriptor()->FindFieldByName("layer");
  for (size_t i = 0; i < copies.size(); ++i) {
    const ConfNode* const block = places->Find(repeat, copies[i].block);
    const ConfNode* const origin = block ? block->Find(inner, copies[i].place) : nullptr;
    if (!origin) continue;
    ConfNode* const node = places->AddCopy(*origin, layer, first + static_cast<int>(i));
    node->label = copies[i].layer.name();
    node->copy_of = PathOf(*origin);
  }
  std::erase_if(places->children, [&](const auto& child) { return child->field == repeat; });
}

}  // namespace

ConfigErrors ExpandRepeats(NetProto* net, ConfNode* places) {
  ConfigErrors errors;
  std::vector<Copy> copies;
  int64_t bytes = 0;
  for (int i = 0; i < net->repeat_size(); ++i) {
    const ConfigErrors mistakes =
        MistakesIn(net->repeat(i), net->layer_size() + std::ssize(copies), bytes);
    for (const ConfigError& mistake : mistakes)
      errors.push_back(mistake.Under(StrCat("repeat[", i, "]")));
    if (!mistakes.empty()) continue;
    CopyBlock(net->repeat(i), i, &copies, &errors);
    bytes += BytesOf(net->repeat(i));
  }
  if (!errors.empty()) return errors;
  if (places) TakePlaces(copies, net->layer_size(), places);
  for (Copy& copy : copies) net->add_layer()->Swap(&copy.layer);
  net->clear_repeat();
  return errors;
}

void ExpandBlocksOf(JobProto* job) {
  if (job->neuralnet().repeat_size() == 0) return;
  const ConfigErrors errors = ExpandRepeats(job->mutable_neuralnet(), nullptr);
  if (!errors.empty()) throw errors.front().Under("neuralnet");
}

}  // namespace singa
