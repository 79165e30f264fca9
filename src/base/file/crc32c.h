// Computes CRC32C (Castagnoli), the checksum of RFC 3720, by a CPU instruction if there is one,
// else by a table.
#pragma once

#include <cstddef>
#include <cstdint>

namespace singa {

// Returns the checksum of the bytes that `crc` covers, followed by these bytes. The first `crc` is
// 0.
uint32_t ExtendCrc32c(uint32_t crc, const void* data, size_t bytes);

inline uint32_t Crc32c(const void* data, size_t bytes) { return ExtendCrc32c(0, data, bytes); }

// Does this by the table, which defines the result.
uint32_t ExtendCrc32cPlain(uint32_t crc, const void* data, size_t bytes);

}  // namespace singa
