// Words that stand as labels in a store that a command of `singa data` reads.
#pragma once

#include <memory>
#include <string>

#include "io/store/store.h"

namespace singa {

// Opens a store. If its labels are words, they become its classes, in their order as bytes. Throws
// the errors of OpenStore.
std::unique_ptr<Store> OpenWithWords(const std::string& backend, StoreOptions options);

// Returns advice about a text of CSV with commas that cannot be read without settings: the
// store_conf that reads all of it, if exactly one of its columns has words. Else returns "".
std::string TableAdvice(const std::string& path);

// Returns the words that stand as labels, as class_names of a store_conf; "": there are none.
std::string WordsText(const Store& store, const std::string& backend);

}  // namespace singa
