// OpenText opens lines of numbers that `singa predict` reads.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "io/store/store.h"

namespace singa {

// Opens lines of `size` numbers with the settings of the training data. Lines of CSV have labels,
// or targets, if FitTable finds them in the header, or else in the first lines.
std::unique_ptr<Store> OpenText(const std::string& backend, StoreOptions store, int64_t size);

}  // namespace singa
