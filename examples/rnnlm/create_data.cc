// create_data: from plain text, words between spaces and a sentence a line, to the records that
// kData reads. README.md beside this file.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

#include "rnnlm.pb.h"
#include "singa/base/error.h"
#include "singa/io/kvfile.h"

namespace {

using singa::Error;
using singa::StrCat;
using Sentence = std::vector<std::string>;
using Text = std::vector<Sentence>;
using Indices = std::vector<int32_t>;  // of words; a sentence ends in 0

constexpr char kUsage[] =
    "usage: create_data [OPTION]... TEXT FOLDER               lines cut 90 : 5 : 5\n"
    "       create_data [OPTION]... TRAIN VALID TEST FOLDER\n"
    "  -classes N  classes of words (100)\n"
    "  -vocab N    the most frequent words of the training text, </s> among them (all)\n"
    "  -window N   max_window of the job, to count a pass in steps (10)\n"
    "writes FOLDER/{train,valid,test}_data.bin\n";
constexpr char kSentenceEnd[] = "</s>";

Text ReadText(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw singa::FileError(singa::kExitNoInput, path, "cannot be read");
  Text text;
  for (std::string line; std::getline(file, line);) {
    text.emplace_back();
    std::istringstream words(line);
    for (std::string word; words >> word;)
      if (word != kSentenceEnd) text.back().push_back(word);
  }
  if (file.bad()) throw singa::FileError(singa::kExitIo, path, "cannot be read");
  return text;
}

// The words by frequency, </s> first, and their classes.
struct Vocabulary {
  std::vector<WordRecord> records;
  std::vector<int64_t> counts;
  std::unordered_map<std::string, int32_t> index;
  int64_t total = 0;  // of counts
  int32_t classes = 0;
};

// Each class takes its share of what the classes before it have left, at least a word.
void Classify(int64_t classes, Vocabulary* vocabulary) {
  const auto size = static_cast<int32_t>(vocabulary->records.size());
  vocabulary->classes = static_cast<int32_t>(std::min<int64_t>(classes, size));
  int64_t left = vocabulary->total;
  int32_t word = 0;
  for (int32_t c = 0; c < vocabulary->classes; ++c) {
    const int32_t start = word, behind = vocabulary->classes - c - 1;
    const int64_t share = left / (behind + 1);
    for (int64_t sum = 0; word == start || (sum < share && size - word > behind); ++word) {
      sum += vocabulary->counts[word];
      left -= vocabulary->counts[word];
    }
    if (behind == 0) word = size;
    for (int32_t w = start; w < word; ++w) {
      vocabulary->records[w].set_class_index(c);
      vocabulary->records[w].set_class_start(start);
      vocabulary->records[w].set_class_end(word);
    }
  }
}

Vocabulary MakeVocabulary(const Text& text, int64_t most, int64_t classes) {
  std::unordered_map<std::string, int64_t> counts;
  int64_t sentences = 0;
  for (const Sentence& sentence : text) {
    for (const std::string& word : sentence) ++counts[word];
    sentences += !sentence.empty();
  }
  std::vector<std::pair<std::string, int64_t>> words(counts.begin(), counts.end());
  std::sort(words.begin(), words.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  words.insert(words.begin(), {kSentenceEnd, sentences});
  if (static_cast<int64_t>(words.size()) > most) words.resize(most);
  Vocabulary vocabulary;
  for (const auto& [word, count] : words) {
    const auto index = static_cast<int32_t>(vocabulary.records.size());
    vocabulary.records.emplace_back();
    vocabulary.records.back().set_word(word);
    vocabulary.records.back().set_word_index(index);
    vocabulary.index.emplace(word, index);
    vocabulary.counts.push_back(count);
    vocabulary.total += count;
  }
  Classify(classes, &vocabulary);
  return vocabulary;
}

// Words that the vocabulary lacks are left out, as are sentences without any other; says how many.
Indices Index(const std::string& name, const Text& text, const Vocabulary& vocabulary) {
  Indices indices;
  int64_t unknown = 0;
  for (const Sentence& sentence : text) {
    const size_t before = indices.size();
    for (const std::string& word : sentence)
      if (const auto it = vocabulary.index.find(word); it != vocabulary.index.end())
        indices.push_back(it->second);
      else
        ++unknown;
    if (indices.size() > before) indices.push_back(0);
  }
  std::cout << name << ": " << indices.size() << " records, </s> among them; " << unknown
            << " words left out, which the vocabulary lacks\n";
  if (indices.empty()) throw singa::DataError(name, -1, "the text has no word of the vocabulary");
  return indices;
}

void WriteRecords(const std::string& path, const Indices& indices, const Vocabulary& vocabulary) {
  singa::KvFileWriter file(path);
  for (int32_t index : indices) file.Write(vocabulary.records[index].SerializeAsString());
  file.Commit();
}

// What models without a state make of a text: one of word counts, and one of pairs, each of which
// was seen once more than it was.
class Baselines {
 public:
  Baselines(const Indices& train, const Vocabulary& vocabulary)
      : words_(static_cast<int64_t>(vocabulary.records.size())),
        total_(static_cast<int64_t>(train.size())),
        counts_(words_) {
    int32_t before = 0;
    for (int32_t word : train) {
      ++counts_[word];
      ++pairs_[before * words_ + word];
      before = word;
    }
  }

  void Print(const std::string& name, const Indices& text) const {
    double unigram = 0, bigram = 0;
    int32_t before = 0;
    for (int32_t word : text) {
      const auto pair = pairs_.find(before * words_ + word);
      const auto seen = static_cast<double>(pair == pairs_.end() ? 0 : pair->second);
      unigram -= std::log(static_cast<double>(counts_[word]) / static_cast<double>(total_));
      bigram -= std::log((seen + 1) / static_cast<double>(counts_[before] + words_));
      before = word;
    }
    const auto n = static_cast<double>(text.size());
    std::cout << name << ": perplexity by unigrams " << std::exp(unigram / n)
              << ", by add-one bigrams " << std::exp(bigram / n) << "\n";
  }

 private:
  const int64_t words_, total_;
  std::vector<int64_t> counts_;
  std::unordered_map<int64_t, int64_t> pairs_;
};

// Steps of a pass over a text.
int64_t CountWindows(const Indices& text, int64_t most) {
  int64_t windows = 0, length = 0;
  for (int32_t word : text) {
    windows += ++length == 1;
    if (word == 0 || length == most) length = 0;
  }
  return windows;
}

struct Arguments {
  int64_t classes = 100, vocabulary = int64_t{1} << 24, window = 10;
  std::vector<std::string> files;
};

Arguments Parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    int64_t* const option = word == "-classes"  ? &arguments.classes
                            : word == "-vocab"  ? &arguments.vocabulary
                            : word == "-window" ? &arguments.window
                                                : nullptr;
    if (!option) {
      if (word.starts_with('-')) throw Error(singa::kExitUsage, kUsage);
      arguments.files.push_back(word);
      continue;
    }
    char* end = nullptr;
    const int64_t number = ++i < argc ? std::strtoll(argv[i], &end, 10) : 0;
    if (number < 1 || *end || number > (int64_t{1} << 24))
      throw Error(singa::kExitUsage, StrCat(word, ": must be from 1 to 16777216\n", kUsage));
    *option = number;
  }
  if (arguments.files.size() != 2 && arguments.files.size() != 4)
    throw Error(singa::kExitUsage, kUsage);
  return arguments;
}

// Training, validation and test, as files or cut out of one.
std::vector<Text> ReadTexts(const std::vector<std::string>& files) {
  if (files.size() == 4) return {ReadText(files[0]), ReadText(files[1]), ReadText(files[2])};
  const Text text = ReadText(files[0]);
  const auto at = [&](size_t twentieths) { return text.begin() + text.size() * twentieths / 20; };
  return {Text(at(0), at(18)), Text(at(18), at(19)), Text(at(19), at(20))};
}

void Run(const Arguments& arguments) {
  const std::vector<Text> texts = ReadTexts(arguments.files);
  const Vocabulary vocabulary = MakeVocabulary(texts[0], arguments.vocabulary, arguments.classes);
  const std::string folder = arguments.files.back();
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw singa::FileError(singa::kExitCantCreate, folder, error.message());
  std::vector<Indices> indices;
  const std::vector<std::string> names = {"train", "valid", "test"};
  for (size_t i = 0; i < names.size(); ++i) {
    indices.push_back(Index(names[i], texts[i], vocabulary));
    WriteRecords(StrCat(folder, "/", names[i], "_data.bin"), indices[i], vocabulary);
  }
  const Baselines baselines(indices[0], vocabulary);
  for (size_t i = 1; i < names.size(); ++i) baselines.Print(names[i], indices[i]);
  std::cout << "vocab_size: " << vocabulary.records.size() << "\nnclass: " << vocabulary.classes
            << "\nsteps of a pass: " << CountWindows(indices[0], arguments.window) << "\n";
}

}  // namespace

int main(int argc, char** argv) {
  try {
    Run(Parse(argc, argv));
    return 0;
  } catch (const Error& error) {
    std::cerr << "create_data: " << error.what() << "\n";
    return error.code();
  }
}
