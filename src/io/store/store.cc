#include "io/store/store.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <sstream>
#include <utility>

#include "base/text/counted.h"
#include "base/text/edit_distance.h"
#include "base/text/lower_case.h"
#include "io/picture/picture_names.h"
#include "io/store/red_first.h"
#include "io/store/short_side.h"
#include "singa/base/error.h"

namespace singa {
namespace {

constexpr const char* kPlanned[] = {"hdfsfile"};

std::map<std::string, StoreTraits>& AllTraits() {
  static std::map<std::string, StoreTraits> traits;
  return traits;
}

}  // namespace

std::vector<int32_t> RecordShape(Store* store, int64_t index) {
  const Sample& record = store->Read(index);
  if (record.size() == 0) throw DataError(store->Where(index), -1, "holds no numbers");
  if (record.shape.empty()) return {static_cast<int32_t>(record.size())};
  if (record.ShapeFits()) return {record.shape.begin(), record.shape.end()};
  std::string sizes;
  for (int32_t size : record.shape) sizes += StrCat(sizes.empty() ? "" : ", ", size);
  throw DataError(store->Where(index), -1,
                  StrCat("holds ", Counted(record.size(), "number"), ", its shape says ", sizes));
}

std::string QuotedText(const std::string& text) {
  std::string escaped;
  for (const char c : text) escaped += c == '"' || c == '\\' ? StrCat("\\", c) : StrCat(c);
  return StrCat("\"", Printable(escaped), "\"");
}

std::string QuotedList(const std::vector<std::string>& texts) {
  std::string list = "[";
  for (const std::string& text : texts) list += (list.size() > 1 ? ", " : "") + QuotedText(text);
  return list + "]";
}

std::string ClassNamesText(const std::vector<std::string>& words) {
  return "class_names: " + QuotedList(words);
}

LeftOut FirstOf(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  const auto count = static_cast<int64_t>(names.size());
  names.resize(std::min(names.size(), LeftOut::kNamed));
  return {count, std::move(names)};
}

std::string LeftOutText(const LeftOut& left_out) {
  std::string text = Counted(left_out.count, "file") + ": ";
  for (size_t i = 0; i < left_out.first.size(); ++i)
    text += (i ? ", " : "") + Printable(left_out.first[i]);
  const int64_t more = left_out.count - static_cast<int64_t>(left_out.first.size());
  return more > 0 ? StrCat(text, " and ", more, " more") : text;
}

std::string LeftOutNote(const LeftOut& left_out) {
  return StrCat("leaves out ", LeftOutText(left_out), ". Only ", kPictureEndings,
                " files in a folder of their class are records");
}

std::string Store::Where(int64_t index) const { return StrCat(name(), ": record ", index); }

std::string Store::NameOf(int64_t index) const { return StrCat(name(), ":", index); }

StoreRegistry& Stores() {
  static StoreRegistry registry("store");
  return registry;
}

const StoreTraits& TraitsOf(const std::string& backend) {
  static const StoreTraits none;
  const auto it = AllTraits().find(backend);
  return it == AllTraits().end() ? none : it->second;
}

bool AddStore(const char* backend, StoreRegistry::Maker open, const StoreTraits& traits,
              const char* file) {
  if (!Stores().Add(backend, std::move(open), file)) return false;
  AllTraits()[backend] = traits;
  return true;
}

std::string StoreHint(const std::string& name, const std::vector<std::string>& names) {
  const std::string lower = LowerCase(name);
  std::string guess, all;
  for (const std::string& known : names) {
    std::istringstream words(TraitsOf(known).known_as);
    for (std::string word; words >> word;)
      if (word == lower) guess = StrCat("; did you mean \"", known, "\"?");
    all += (all.empty() ? "" : ", ") + known;
  }
  if (guess.empty()) guess = DidYouMean(name, names);
  return StrCat(guess, guess.empty() ? "; there are " : " There are ", all);
}

void CheckBackend(const std::string& backend) {
  if (Stores().Has(backend)) return;
  if (std::find(std::begin(kPlanned), std::end(kPlanned), backend) != std::end(kPlanned))
    throw ConfigError("", StrCat("\"", backend, "\" is not built yet"));
  throw ConfigError(
      "", StrCat("no such backend: \"", backend, "\"", StoreHint(backend, Stores().Names())));
}

std::unique_ptr<Store> OpenStore(const std::string& backend, const StoreOptions& options) {
  CheckBackend(backend);
  std::unique_ptr<Store> store = Stores().Make(backend, options);
  if (options.short_side > 0)
    store = FitPictures(std::move(store), options.short_side, options.shape);
  return options.colours == ColourOrder::kBlueFirst ? RedFirst(std::move(store)) : std::move(store);
}

}  // namespace singa
