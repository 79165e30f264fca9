#include "io/file/text_file.h"

#include <vector>

#include "base/file/input_file.h"
#include "base/file/temporary_name.h"
#include "io/file/new_file.h"

namespace singa {

std::optional<std::string> ReadText(const std::string& path, int64_t most_bytes) {
  try {
    const std::vector<uint8_t> bytes = InputFile::Open(path).ReadAll(most_bytes);
    return std::string(bytes.begin(), bytes.end());
  } catch (const Error&) {
    return {};
  }
}

void WriteText(FileSystem* files, const std::string& path, const std::string& text) {
  RemoveLeftOver(files, path);
  const std::string temporary = TemporaryName(path);
  const auto file = files->Create(temporary);
  file->Write(text.data(), text.size());
  file->Close();
  files->Rename(temporary, path);
}

}  // namespace singa
