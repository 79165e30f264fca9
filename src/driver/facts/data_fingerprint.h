// DataFingerprint tells data of one process from other data, without reading all of it.
#pragma once

#include <cstdint>
#include <string>

namespace singa {

// Returns a checksum of a file's size and first 64 KiB, or of the names below a folder and the
// sizes of their files; of more than 10 000 files, the sizes of the first ones in the order of the
// names. Returns 0 if `path` is neither, or cannot be read now.
uint32_t DataFingerprint(const std::string& path);

}  // namespace singa
