#include "io/checkpoint/name_map.h"

#include <charconv>
#include <map>
#include <span>
#include <utility>

#include "base/file/input_file.h"
#include "base/text/json_text.h"
#include "base/text/line_blanks.h"
#include "io/checkpoint/json_text.h"
#include "singa/base/error.h"

namespace singa {
namespace {

constexpr int64_t kMaxBytes = int64_t{16} << 20;

std::vector<std::string_view> WordsOf(std::string_view line) {
  line = line.substr(0, line.find('#'));
  std::vector<std::string_view> words;
  for (size_t begin; (begin = line.find_first_not_of(kLineBlanks)) != std::string_view::npos;) {
    line.remove_prefix(begin);
    const size_t end = std::min(line.find_first_of(kLineBlanks), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
  return words;
}

// Returns why a file of safetensors cannot have the name; "": it can.
std::string NameProblem(std::string_view name) {
  if (name == "__metadata__") return StrCat("no param can have the name ", Quote(name));
  return ReplaceInvalidUtf8(name) == name ? "" : StrCat("the name ", Quote(name), " is not UTF-8");
}

class MapParser {
 public:
  explicit MapParser(const std::string& file) : file_(file) {}

  void ReadLine(std::string_view text) {
    ++line_;
    const std::vector<std::string_view> words = WordsOf(text);
    if (words.empty()) return;
    if (words.size() < 2) Fail("needs two names: in the file, in the net");
    NamePair pair{.in_file = std::string(words[0]), .in_net = std::string(words[1]), .line = line_};
    for (size_t i = 2; i < words.size(); ++i) ReadWord(words[i], &pair);
    for (const size_t i : {0, 1})
      if (const std::string problem = NameProblem(words[i]); !problem.empty()) Fail(problem);
    CheckNew(pair.in_file, "in the file", &in_file_);
    CheckNew(pair.in_net, "in the net", &in_net_);
    pairs_.push_back(std::move(pair));
  }
  std::vector<NamePair> pairs() { return std::move(pairs_); }

 private:
  [[noreturn]] void Fail(const std::string& text) const {
    throw DataError(file_, -1, StrCat("line ", line_, ": ", text));
  }

  void ReadWord(std::string_view word, NamePair* pair) const {
    if (word == "transpose") {
      if (pair->transpose) Fail("has \"transpose\" twice");
      pair->transpose = true;
    } else if (!pair->shape && !pair->transpose) {
      pair->shape = ShapeOf(word);
    } else {
      Fail(StrCat("has the word ", Quote(std::string(word)), ", which nothing allows"));
    }
  }

  Shape ShapeOf(std::string_view word) const {
    std::vector<int64_t> sizes;
    for (const char *at = word.data(), *const end = at + word.size();;) {
      int64_t size = 0;
      const auto [stop, error] = std::from_chars(at, end, size);
      if (error != std::errc() || size < 1 || sizes.size() == Shape::kMaxDims)
        Fail(StrCat("must be a shape such as 64,3,7,7 or \"transpose\", is ",
                    Quote(std::string(word))));
      sizes.push_back(size);
      if (stop == end) return Shape(std::span<const int64_t>(sizes));
      if (*stop != ',')
        at = end;  // no number follows
      else
        at = stop + 1;
    }
  }

  void CheckNew(const std::string& name, const char* where, std::map<std::string, int>* lines) {
    const auto [first, is_new] = lines->emplace(name, line_);
    if (!is_new) Fail(StrCat(Quote(name), " ", where, " is that of line ", first->second));
  }

  const std::string file_;
  int line_ = 0;
  std::vector<NamePair> pairs_;
  std::map<std::string, int> in_file_, in_net_;  // by name: its line
};

}  // namespace

std::vector<NamePair> ParseNameMap(std::string_view text, const std::string& file) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  MapParser parser(file);
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    parser.ReadLine(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parser.pairs();
}

std::vector<NamePair> ReadNameMap(const std::string& file) {
  const std::vector<uint8_t> bytes = InputFile::Open(file).ReadAll(kMaxBytes);
  return ParseNameMap({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, file);
}

}  // namespace singa
