// Backend "imagelist" reads the pictures that a text names, one a line. It keeps only the places of
// the lines, so that a list of millions takes little memory.
#include <filesystem>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "base/file/input_file.h"
#include "io/format/image_index.h"
#include "io/format/image_list.h"
#include "io/picture/image_decoder.h"
#include "io/store/store.h"
#include "io/table/class_words.h"
#include "io/table/csv_fields.h"
#include "io/table/line_index.h"
#include "io/value_error.h"
#include "singa/base/error.h"

namespace singa {
namespace {

// Returns what stands before the names of a list.
std::string RootOf(const StoreOptions& options) {
  if (!options.root_folder.empty()) return options.root_folder + "/";
  const std::string folder = std::filesystem::path(options.path).parent_path().string();
  return folder.empty() || folder.ends_with('/') ? folder : folder + "/";
}

class ImageListStore final : public Store {
 public:
  explicit ImageListStore(const StoreOptions& options)
      : list_(InputFile::Open(options.path)),
        lines_(IndexLines(LineScan(list_))),
        root_(RootOf(options)),
        absolute_(options.root_folder.empty()),
        has_label_(options.has_label && options.targets == 0),
        targets_(options.targets),
        words_(options.class_names),
        classes_(options.class_names),
        raw_(options.raw_files),
        decoder_(options.channels) {
    if (lines_.empty()) throw DataError(list_.name(), -1, "names no picture");
  }

  int64_t size() const override { return std::ssize(lines_); }
  const std::string& name() const override { return list_.name(); }
  std::vector<std::string> classes() const override { return classes_; }
  std::string Where(int64_t index) const override {
    ListedPicture picture;
    const std::string line = LineText(index);
    const std::string error = Parse(index, &picture);
    return error.empty() ? StrCat(line, ": ", PathOf(picture.name))
                         : StrCat(line, ": record ", index);
  }
  std::string NameOf(int64_t index) const override {
    ListedPicture picture;
    return Parse(index, &picture).empty() ? PathOf(picture.name) : Store::NameOf(index);
  }

  const Sample& Read(int64_t index) override {
    const std::string error = Parse(index, &picture_);
    if (!error.empty()) throw DataError(Where(index), -1, error + WordsAdvice(LineOf(index)));
    try {
      ReadPicture(picture_.name);
      sample_ = {.pixel = bytes_};
      if (!raw_) decoder_.Decode(bytes_).Show(&sample_);
    } catch (const ValueError& damage) {
      throw DataError(Where(index), -1, damage.what());
    }
    sample_.targets = picture_.targets;
    sample_.label = picture_.label;
    return sample_;
  }

  LabelRange Labels() override {
    constexpr int64_t kMostBytes = int64_t{8} << 20;  // a fraction of a second
    LabelRange range;
    if (!has_label_ || list_.size() > kMostBytes) return range;
    for (int64_t i = 0; i < size(); ++i)
      if (const auto label = ListedLabel(LineOf(i), words_)) range.Add(*label, i);
    return range;
  }

  LabelWords WordsOfLabels(int64_t most) override { return WordsOfFirst(most); }

 private:
  std::string LineOf(int64_t index) const {
    std::string line(lines_[index].size, '\0');
    list_.ReadAt(lines_[index].offset, line.data(), lines_[index].size);
    return line;
  }
  // Parses a line. Returns the error; "": there is none.
  std::string Parse(int64_t index, ListedPicture* picture) const {
    const std::string line = LineOf(index);
    try {
      ParseListedPicture(line, has_label_, targets_, words_, picture);
    } catch (const ValueError& error) {
      return error.what();
    }
    return "";
  }
  // Returns the end of an error about a line whose label is a word; else "".
  std::string WordsAdvice(std::string_view line) {
    constexpr int64_t kMost = 1000;  // lines whose words are shown
    const std::optional<std::string> label = LabelFieldOf(line);
    if (!label || IsNumber(*label)) return "";
    if (!words_advice_) words_advice_ = ClassNamesAdvice(WordsOfFirst(kMost));
    return *words_advice_;
  }
  LabelWords WordsOfFirst(int64_t most) const {
    if (!has_label_ || !words_.empty()) return {};
    return GatherLabelWords(size(), most,
                            [this](int64_t index) { return LabelFieldOf(LineOf(index)); });
  }
  // Returns "list.txt:7". It reads the list up to there.
  std::string LineText(int64_t index) const {
    return StrCat(list_.name(), ":", counter_.At(list_, lines_[index].offset));
  }
  std::string PathOf(const std::string& listed) const {
    return absolute_ && listed.starts_with('/') ? listed : root_ + listed;
  }

  // Throws ValueError if there is no such file: that makes the record bad, not the list.
  void ReadPicture(const std::string& listed) {
    const std::string path = PathOf(listed);
    try {
      bytes_ = InputFile::Open(path).ReadAll(kMaxPictureBytes);
    } catch (const FileError& error) {
      if (error.code() != kExitNoInput) throw;
      const std::string name = Printable(StrCat(path, ": "));  // the caller adds it
      const std::string text = error.what();
      throw ValueError((text.starts_with(name) ? text.substr(name.size()) : text) +
                       MissingAdvice(listed));
    }
  }

  const InputFile list_;
  const std::vector<ValuePlace> lines_;
  mutable LineCounter counter_;  // of lines of the list
  const std::string root_;
  const bool absolute_;  // whether a name that begins with a slash is a whole path
  const bool has_label_;
  const int64_t targets_;
  const ClassWords words_;  // empty: labels are integers
  const std::vector<std::string> classes_;
  const bool raw_;
  ImageDecoder decoder_;
  std::vector<uint8_t> bytes_;
  ListedPicture picture_;
  Sample sample_;
  std::optional<std::string> words_advice_;  // made once, as many records may be bad
};

std::unique_ptr<Store> OpenImageList(const StoreOptions& options) {
  return std::make_unique<ImageListStore>(options);
}

SINGA_REGISTER_STORE(imagelist, OpenImageList, .targets = true, .picture_files = true,
                     .encoded = Encoded::kIgnored,
                     .known_as = "imagedata list filelist listfile imagelists");

}  // namespace
}  // namespace singa
