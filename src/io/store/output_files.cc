#include "io/store/output_files.h"

namespace singa {

int64_t OutputFiles::Write(const std::string& path, const std::string& format,
                           const Sample& sample) {
  File& file = files_.try_emplace(path, File{.has_label = sample.has_label()}).first->second;
  if (file.refused) return file.records++;
  try {
    if (!file.writer)
      file.writer =
          NewStoreWriter(format, {.path = path, .has_label = file.has_label}, &file_system_);
    file.writer->Write(sample);
  } catch (const WriteError& error) {
    refused_ = error;
    file.refused = true;
    file.writer.reset();
  }
  return file.records++;
}

std::optional<bool> OutputFiles::HoldsLabels(const std::string& path) const {
  const auto file = files_.find(path);
  return file == files_.end() ? std::nullopt : std::optional<bool>(file->second.has_label);
}

int64_t OutputFiles::Records(const std::string& path) const {
  const auto file = files_.find(path);
  return file == files_.end() ? 0 : file->second.records;
}

std::vector<std::pair<std::string, int64_t>> OutputFiles::Finish() {
  std::vector<std::pair<std::string, int64_t>> written;
  for (auto& [path, file] : files_) try {
      if (file.refused) continue;
      file.writer->Finish();
      written.emplace_back(path, file.records);
    } catch (const WriteError& error) {
      refused_ = error;
    }
  files_.clear();
  return written;
}

}  // namespace singa
