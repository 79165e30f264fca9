// CRC32C (Castagnoli), the checksum of RFC 3720: CPU instruction where there is one, else a table.
#pragma once

#include <cstddef>
#include <cstdint>

namespace singa {

// The checksum of the bytes that `crc` covers followed by these: start with 0.
uint32_t ExtendCrc32c(uint32_t crc, const void* data, size_t bytes);

inline uint32_t Crc32c(const void* data, size_t bytes) { return ExtendCrc32c(0, data, bytes); }

// The table version, which defines the result.
uint32_t ExtendCrc32cPlain(uint32_t crc, const void* data, size_t bytes);

}  // namespace singa
