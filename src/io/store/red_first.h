// RedFirst reads a store whose raw pictures have blue first, and gives them with red first.
#pragma once

#include <memory>

#include "io/store/store.h"

namespace singa {

// Reverses the colours of each record of three planes, unless it was decoded from an image file.
std::unique_ptr<Store> RedFirst(std::unique_ptr<Store> store);

}  // namespace singa
