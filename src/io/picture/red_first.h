// A store whose raw pictures have blue first, read with red first.
#pragma once

#include <memory>

#include "io/store/store.h"

namespace singa {

// Turns round the colours of each record whose numbers are three planes, but for those that were
// decoded from an image file.
std::unique_ptr<Store> RedFirst(std::unique_ptr<Store> store);

}  // namespace singa
