// From one store to a file of another format.
#pragma once

#include <string>

#include "base/file/file_system.h"
#include "io/store/store.h"
#include "io/store/store_writer.h"

namespace singa {

// Writes every record of `from`; fills in options.records and classes, and options.shape and
// has_label where the caller left them, by the first record. Throws DataError for a record that the
// format cannot hold or that has another shape, ConfigError("", ...) for a format that nobody
// writes or a shape that does not fit, FileError. Nothing appears under the new names unless all
// was written.
void ConvertStore(Store* from, const std::string& format, WriterOptions options, FileSystem* files);

}  // namespace singa
