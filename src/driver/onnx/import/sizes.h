// Sizes are the dimensions of a value of an ONNX graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace singa {

// These sizes stand for free numbers. kFreeBatch: N, the rows of a batch. kFreeSteps: T, the time
// steps. kFreeRows: T N, step by step. kFreeSequences: N T, sequence by sequence. kFreeProduct:
// another product of N or T.
inline constexpr int64_t kFreeBatch = std::numeric_limits<int64_t>::min();
inline constexpr int64_t kFreeSteps = kFreeBatch + 1;
inline constexpr int64_t kFreeRows = kFreeBatch + 2;
inline constexpr int64_t kFreeSequences = kFreeBatch + 3;
inline constexpr int64_t kFreeProduct = kFreeBatch + 4;
inline bool IsFree(int64_t size) { return size <= kFreeProduct; }

using Sizes = std::vector<int64_t>;

// Returns "(N, 3, 224, 224)".
std::string SizesText(const Sizes& sizes);
// Returns the sizes from dimension `first` on.
Sizes SizesFrom(const Sizes& sizes, size_t first);
// Returns the largest number if the product is larger.
int64_t ProductOf(const Sizes& sizes);
// Returns the product of the sizes that are not free.
int64_t UnitsOf(const Sizes& sizes);
// Returns `wanted` with the number that its one -1 stands for, as the sizes of `product` numbers.
// Returns nothing if they have another product, or if a size is negative.
std::optional<Sizes> SolvedSizes(Sizes wanted, int64_t product);

}  // namespace singa
