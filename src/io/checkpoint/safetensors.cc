#include "io/checkpoint/safetensors.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "io/checkpoint/json_text.h"

namespace singa {
namespace {

using nlohmann::json;

static_assert(std::endian::native == std::endian::little, "safetensors files are little-endian");

struct Range {
  uint64_t begin = 0, end = 0;
};

struct Entry {
  StoredTensor tensor;
  Range range;
};

class HeaderReader {
 public:
  explicit HeaderReader(const std::string& file) : file_(file) {}

  // Returns the JSON text. All bytes after it are data.
  std::string_view Text(std::span<const std::byte> bytes) const {
    uint64_t size = 0;
    if (bytes.size() < sizeof size) Fail("is shorter than the 8 bytes of a header's size");
    std::memcpy(&size, bytes.data(), sizeof size);
    if (size > Safetensors::kMaxHeaderBytes)
      Fail(StrCat("has a header of ", size, " bytes; the limit is ", Safetensors::kMaxHeaderBytes));
    if (size > bytes.size() - sizeof size)
      Fail(StrCat("has ", bytes.size(), " bytes, but a header of ", size));
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()) + sizeof size, size);
    if (!text.starts_with('{')) Fail("has a header that does not start with {");
    return text;
  }

  Entry Tensor(const std::string& name, const json& value) const {
    const std::string where = StrCat("tensor ", Quote(name), ": ");
    if (!value.is_object()) Fail(where + "is not an object");
    for (const auto& item : value.items())
      if (item.key() != "dtype" && item.key() != "shape" && item.key() != "data_offsets")
        Fail(StrCat(where, "unknown key ", Quote(item.key())));
    const json dtype = value.value("dtype", json());
    if (!dtype.is_string()) Fail(where + "has no dtype");
    const auto type = StoredTypeOf(dtype.get_ref<const std::string&>());
    if (!type) Fail(StrCat(where, "unknown dtype ", Quote(dtype.get_ref<const std::string&>())));
    Entry entry;
    entry.tensor = {name, *type, ShapeOf(value.value("shape", json()), where), nullptr};
    entry.range = RangeOf(value.value("data_offsets", json()), where);
    int64_t bytes = SizeOf(*type);
    for (int i = 0; i < entry.tensor.shape.dims(); ++i)
      if (__builtin_mul_overflow(bytes, entry.tensor.shape[i], &bytes))
        Fail(where + "its shape overflows 64 bits");
    if (entry.range.end - entry.range.begin != static_cast<uint64_t>(bytes))
      Fail(StrCat(where, "has ", entry.range.end - entry.range.begin, " bytes of data; ",
                  NameOf(*type), " ", entry.tensor.shape.ToString(), " needs ", bytes));
    return entry;
  }

  std::map<std::string, std::string> Metadata(const json& value) const {
    std::map<std::string, std::string> metadata;
    if (!value.is_object()) Fail("__metadata__ is not an object");
    for (const auto& item : value.items()) {
      if (!item.value().is_string())
        Fail(StrCat("__metadata__: the value of ", Quote(item.key()), " is not a string"));
      metadata[item.key()] = item.value().get<std::string>();
    }
    return metadata;
  }

  [[noreturn]] void Fail(const std::string& why) const { throw DataError(file_, -1, why); }

 private:
  Shape ShapeOf(const json& value, const std::string& where) const {
    if (!value.is_array()) Fail(where + "has no shape");
    if (value.size() > Shape::kMaxDims)
      Fail(StrCat(where, "has ", value.size(), " dimensions; the limit is ", Shape::kMaxDims));
    std::vector<int64_t> sizes;
    for (const json& size : value) {
      if (!size.is_number_unsigned() || size.get<uint64_t>() > INT64_MAX)
        Fail(where + "its shape has a size that is no whole number of 63 bits");
      sizes.push_back(size.get<int64_t>());
    }
    return Shape(sizes);
  }

  Range RangeOf(const json& value, const std::string& where) const {
    if (!value.is_array() || value.size() != 2 || !value[0].is_number_unsigned() ||
        !value[1].is_number_unsigned())
      Fail(where + "data_offsets is not a pair of numbers");
    const Range range{value[0].get<uint64_t>(), value[1].get<uint64_t>()};
    if (range.begin > range.end)
      Fail(StrCat(where, "ends at ", range.end, ", before its begin ", range.begin));
    return range;
  }

  const std::string& file_;
};

}  // namespace

Safetensors::Safetensors(std::span<const std::byte> bytes, const std::string& file) : file_(file) {
  const HeaderReader reader(file_);
  const std::string_view text = reader.Text(bytes);
  const json header = ParseJson(text, file_, {.depth = 3});
  std::vector<Entry> entries;
  for (const auto& item : header.items()) {
    if (item.key() == "__metadata__")
      metadata_ = reader.Metadata(item.value());
    else
      entries.push_back(reader.Tensor(item.key(), item.value()));
  }
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.range.begin, a.range.end) < std::pair(b.range.begin, b.range.end);
  });

  const std::span<const std::byte> data = bytes.subspan(sizeof(uint64_t) + text.size());
  uint64_t end = 0;
  for (Entry& entry : entries) {
    if (entry.range.begin != end)
      reader.Fail(StrCat("tensor ", Quote(entry.tensor.name), ": begins at ", entry.range.begin,
                         " of the data, where ", end, " comes next"));
    end = entry.range.end;
    if (end > data.size())
      reader.Fail(StrCat("tensor ", Quote(entry.tensor.name), ": ends at ", end,
                         " of the data, which has ", data.size(), " bytes"));
    entry.tensor.data = data.data() + entry.range.begin;
    index_[entry.tensor.name] = tensors_.size();
    tensors_.push_back(std::move(entry.tensor));
  }
  if (end != data.size())
    reader.Fail(StrCat("has ", data.size(), " bytes of data; its tensors need ", end));
}

const StoredTensor* Safetensors::Find(const std::string& name) const {
  const auto it = index_.find(name);
  return it == index_.end() ? nullptr : &tensors_[it->second];
}

const StoredTensor& Safetensors::Checked(const std::string& name, StoredType type,
                                         const Shape& shape) const {
  const StoredTensor* tensor = Find(name);
  if (tensor == nullptr) throw MisfitError(file_, StrCat("has no tensor ", Quote(name)));
  if (tensor->type != type || !(tensor->shape == shape))
    throw MisfitError(
        file_, StrCat("tensor ", Quote(name), ": is ", NameOf(tensor->type), " ",
                      tensor->shape.ToString(), ", must be ", NameOf(type), " ", shape.ToString()));
  if (reinterpret_cast<uintptr_t>(tensor->data) % SizeOf(type) != 0)
    throw DataError(file_, -1, StrCat("tensor ", Quote(name), ": is not aligned to its type"));
  return *tensor;
}

}  // namespace singa
