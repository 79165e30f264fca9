// ConvertStore writes a store's records to a file of another format.
#pragma once

#include <string>

#include "base/file/file_system.h"
#include "io/store/store.h"
#include "io/store/store_writer.h"

namespace singa {

// Writes all records of `from`. Sets options.records and classes; the first record gives
// options.shape and has_label if the caller left them unset. Throws FileError. Throws DataError for
// a record that the format cannot hold or that has another shape. Throws ConfigError("", ...) for a
// format without a writer or a shape that does not fit. The new files appear only if all records
// were written.
void ConvertStore(Store* from, const std::string& format, WriterOptions options, FileSystem* files);

}  // namespace singa
