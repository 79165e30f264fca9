// Sizes are the dimensions of a value of an ONNX graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace singa {

// This size stands for the rows of a batch, whose number is free.
inline constexpr int64_t kFreeBatch = std::numeric_limits<int64_t>::min();

using Sizes = std::vector<int64_t>;

// Returns "(N, 3, 224, 224)".
std::string SizesText(const Sizes& sizes);
// Returns the sizes from dimension `first` on.
Sizes SizesFrom(const Sizes& sizes, size_t first);
// Returns the largest number if the product is larger.
int64_t ProductOf(const Sizes& sizes);
// Returns `wanted` with the number that its one -1 stands for, as the sizes of `product` numbers.
// Returns nothing if they have another product, or if a size is negative.
std::optional<Sizes> SolvedSizes(Sizes wanted, int64_t product);

}  // namespace singa
