#include "driver/new_job/class_lists.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <set>

#include "base/file/file_system.h"
#include "base/text/counted.h"
#include "base/text/json_text.h"
#include "base/text/line_blanks.h"
#include "base/text/lower_case.h"
#include "io/file/new_file.h"
#include "io/format/image_index.h"
#include "io/format/split_lines.h"
#include "io/store/store.h"
#include "singa/base/error.h"

namespace singa {
namespace {

// Returns the word for each class folder: its name, in which "_" stands for blanks.
std::vector<std::string> WordsFor(const std::string& folder, const ImageIndex& index) {
  std::vector<std::string> words;
  std::set<std::string> known;
  for (const std::string& name : index.classes) {
    std::string word = name;
    for (char& c : word)
      if (kLineBlanks.find(c) != kLineBlanks.npos) c = '_';
    if (word.size() > LabelWords::kMostBytes || ReplaceInvalidUtf8(word) != word)
      throw DataError(folder, -1,
                      StrCat("the name of the class folder \"", name, "\" must be UTF-8 of ",
                             LabelWords::kMostBytes, " bytes at most"));
    if (!known.insert(word).second)
      throw DataError(folder, -1,
                      StrCat("two class folders become the word ", word,
                             ", as _ stands for a blank; rename one"));
    words.push_back(std::move(word));
  }
  return words;
}

// Throws if the folders divide the pictures into parts, in which the class folders may be.
void CheckClassNames(const std::string& folder, const std::vector<std::string>& words) {
  const std::set<std::string> kParts = {"train", "training", "test",      "testing",
                                        "val",   "valid",    "validation"};
  const bool parts = std::ranges::all_of(
      words, [&](const std::string& word) { return kParts.contains(LowerCase(word)); });
  if (parts)
    throw DataError(
        folder, -1,
        StrCat("its folders would be classes, and are ", QuotedList(words),
               "; give a folder with a folder for each class, such as ", folder, "/", words[0]));
}

// Throws if a picture's name cannot stand in a list.
void CheckName(const std::string& folder, const std::string& name) {
  const bool lines = name.find_first_of(std::string("\n\r\0", 3)) != name.npos;
  if (lines || name != WithoutBlanks(name))
    throw DataError(folder, -1,
                    StrCat("\"", name,
                           "\" has a line break in its name, or a blank before it; "
                           "rename it"));
}

// Writes a list of all pictures. Returns how many pictures each class has.
std::vector<int64_t> WriteList(const std::string& folder, const ImageIndex& index,
                               const std::vector<std::string>& words, const std::string& path,
                               FileSystem* files) {
  std::vector<int64_t> counts(words.size());
  NewFile list(files, path);
  for (const ImagePlace& place : index.places) {
    CheckName(folder, place.name);
    ++counts[place.label];
    list.Write(StrCat(place.name, " ", words[place.label], "\n"));
  }
  list.Commit();
  return counts;
}

// Throws unless the pictures are enough. Returns the words of the classes that have some.
std::vector<std::string> CheckCounts(const JobRequest& request,
                                     const std::vector<std::string>& words,
                                     const std::vector<int64_t>& counts,
                                     std::vector<std::string>* notes) {
  std::vector<std::string> used;
  int64_t all = 0;
  for (size_t i = 0; i < words.size(); ++i) {
    if (counts[i] == 0) continue;
    all += counts[i];
    used.push_back(words[i]);
    if (std::llround(static_cast<double>(counts[i]) * kTestShare) == 0)
      notes->push_back(StrCat("class ", Printable(words[i]), " has only ",
                              Counted(counts[i], "picture"), ", too few for a test"));
  }
  if (used.size() < 2)
    throw DataError(request.data, -1,
                    StrCat("has pictures of one class, ", used.empty() ? "" : used[0],
                           "; a net learns from two classes or more, each in a folder of its own"));
  if (used.size() > LabelWords::kMostWords)
    throw DataError(request.data, -1,
                    StrCat("has ", used.size(), " class folders, at most ", LabelWords::kMostWords,
                           " become a job"));
  if (all < kLeastRecords)
    throw DataError(
        request.data, -1,
        StrCat("has ", Counted(all, "picture"), "; a job needs at least ", kLeastRecords));
  return used;
}

}  // namespace

std::vector<std::string> WriteClassLists(const JobRequest& request,
                                         std::vector<std::string>* notes) {
  constexpr size_t kShown = 10;
  const ImageIndex index = IndexImageFolder(request.data);
  const std::vector<std::string> words = WordsFor(request.data, index);
  PosixFileSystem files;
  const std::string all = StrCat(request.fresh, "/all.list");
  const std::vector<int64_t> counts = WriteList(request.data, index, words, all, &files);
  std::vector<std::string> used = CheckCounts(request, words, counts, notes);
  CheckClassNames(request.data, used);
  SplitLines(all, {.table = false, .by_class = true, .test = kTestShare, .seed = request.seed},
             StrCat(request.fresh, "/", kTrainList), StrCat(request.fresh, "/", kTestList), &files);
  files.RemoveTree(all);
  std::string text = Counted(used.size(), "class", "classes") + ": ";
  for (size_t i = 0; i < std::min(kShown, used.size()); ++i)
    text += (i > 0 ? ", " : "") + Printable(used[i]);
  notes->push_back(used.size() > kShown ? text + ", ..." : text);
  if (index.left_out.count > 0) notes->push_back(LeftOutNote(index.left_out));
  return used;
}

}  // namespace singa
