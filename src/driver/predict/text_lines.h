// OpenText opens lines of numbers that `singa predict` reads.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "io/store/store.h"
#include "singa/proto/layer.pb.h"

namespace singa {

// Opens lines of `size` numbers. They have labels, or the targets of the training data, if the
// header, or else the first line, has so many columns more than the net takes.
std::unique_ptr<Store> OpenText(const std::string& backend, StoreOptions store, int64_t size,
                                const StoreProto& conf);

}  // namespace singa
