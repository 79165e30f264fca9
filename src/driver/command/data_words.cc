#include "driver/command/data_words.h"

#include <limits>
#include <utility>
#include <vector>

namespace singa {

std::unique_ptr<Store> OpenWithWords(const std::string& backend, StoreOptions options) {
  std::unique_ptr<Store> store = OpenStore(backend, options);
  if (!options.has_label || options.targets > 0) return store;
  options.class_names = store->WordsOfLabels(std::numeric_limits<int64_t>::max()).words;
  if (options.class_names.empty()) return store;
  options.warns = false;  // the first opening did
  return OpenStore(backend, options);
}

std::string WordsText(const Store& store, const std::string& backend) {
  const std::vector<std::string> words = store.classes();
  return words.empty() || TraitsOf(backend).class_folders ? "" : ClassNamesText(words);
}

}  // namespace singa
