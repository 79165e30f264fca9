#include "driver/onnx/import/unit_view.h"

#include <algorithm>

namespace singa {
namespace {

constexpr ViewPart kBatchPart = {.kind = ViewPart::kBatch}, kStepsPart = {.kind = ViewPart::kSteps};

ViewDim FreeParts(int64_t size) {
  switch (size) {
    case kFreeBatch:
      return {kBatchPart};
    case kFreeSteps:
      return {kStepsPart};
    case kFreeRows:
      return {kStepsPart, kBatchPart};
    default:
      return {kBatchPart, kStepsPart};
  }
}

int64_t DimOf(const ViewDim& dim) {
  if (dim.empty()) return 1;
  for (int64_t size : {kFreeBatch, kFreeSteps, kFreeRows, kFreeSequences})
    if (dim == FreeParts(size)) return size;
  int64_t product = 1;
  for (const ViewPart& part : dim) {
    if (part.kind != ViewPart::kUnits) return kFreeProduct;
    product *= part.size;
  }
  return product;
}

// Takes parts off one end of a list until their product is a given size.
class PartsTaker {
 public:
  PartsTaker(ViewDim parts, int64_t fixed_batch, int64_t fixed_steps)
      : parts_(std::move(parts)), fixed_batch_(fixed_batch), fixed_steps_(fixed_steps) {}

  // Returns nothing if no parts have the size.
  std::optional<ViewDim> Take(int64_t size, bool from_end) {
    if (IsFree(size)) return TakeFree(size, from_end);
    ViewDim dim;
    if (size == 1 && !parts_.empty() && SizeOf(parts_.front()) == 1 && !from_end) {
      dim.push_back(parts_.front());  // a batch of one row
      parts_.erase(parts_.begin());
    }
    while (size > 1) {
      if (parts_.empty()) return {};
      ViewPart& next = from_end ? parts_.back() : parts_.front();
      const int64_t own = SizeOf(next);
      if (own < 1) return {};
      if (size % own == 0) {
        size /= own;
        Append(next, from_end, &dim);
        parts_.erase(from_end ? parts_.end() - 1 : parts_.begin());
        continue;
      }
      if (own % size != 0 || next.kind != ViewPart::kUnits) return {};
      // The outer part has the large stride.
      const int64_t rest = own / size;
      ViewPart taken = next;
      taken.size = size;
      next.size = rest;
      if (from_end)
        next.stride *= size;
      else
        taken.stride *= rest;
      Append(taken, from_end, &dim);
      size = 1;
    }
    return dim;
  }

  const ViewDim& parts() const { return parts_; }

 private:
  int64_t SizeOf(const ViewPart& part) const {
    return part.kind == ViewPart::kBatch   ? fixed_batch_
           : part.kind == ViewPart::kSteps ? fixed_steps_
                                           : part.size;
  }

  static void Append(const ViewPart& part, bool from_end, ViewDim* dim) {
    dim->insert(from_end ? dim->begin() : dim->end(), part);
  }

  std::optional<ViewDim> TakeFree(int64_t size, bool from_end) {
    const ViewDim wanted = FreeParts(size);
    const auto count = static_cast<int64_t>(wanted.size());
    if (size == kFreeProduct || std::ssize(parts_) < count) return {};
    const auto begin = from_end ? parts_.end() - count : parts_.begin();
    if (!std::equal(wanted.begin(), wanted.end(), begin)) return {};
    parts_.erase(begin, begin + count);
    return wanted;
  }

  ViewDim parts_;
  const int64_t fixed_batch_, fixed_steps_;
};

}  // namespace

UnitView ViewInOrder(const Sizes& dims) {
  UnitView view;
  int64_t stride = UnitsOf(dims);
  for (int64_t size : dims) {
    if (IsFree(size)) {
      view.dims.push_back(FreeParts(size));
      continue;
    }
    stride /= size;
    view.dims.push_back(size == 1 ? ViewDim{} : ViewDim{{ViewPart::kUnits, size, stride}});
  }
  return view;
}

Sizes DimsOf(const UnitView& view) {
  Sizes dims;
  for (const ViewDim& dim : view.dims) dims.push_back(DimOf(dim));
  return dims;
}

UnitView Transposed(const UnitView& view, const Sizes& order) {
  UnitView turned = {.dims = {}, .first = view.first};
  for (int64_t dim : order) turned.dims.push_back(view.dims[dim]);
  return turned;
}

ViewDim PartsOf(const std::vector<ViewDim>& dims) {
  ViewDim parts;
  for (const ViewDim& dim : dims)
    for (const ViewPart& part : dim) {
      const bool units = part.kind == ViewPart::kUnits;
      if (units && !parts.empty() && parts.back().kind == ViewPart::kUnits &&
          parts.back().stride == part.size * part.stride) {
        parts.back().size *= part.size;
        parts.back().stride = part.stride;
      } else {
        parts.push_back(part);
      }
    }
  return parts;
}

bool IsInOrder(const UnitView& view) {
  const Sizes dims = DimsOf(view);
  if (std::find(dims.begin(), dims.end(), kFreeProduct) != dims.end()) return false;
  const ViewDim parts = PartsOf(view.dims);
  const auto units = std::find_if(parts.begin(), parts.end(), [](const ViewPart& part) {
    return part.kind == ViewPart::kUnits;
  });
  return units == parts.end() || (units + 1 == parts.end() && units->stride == 1);
}

std::optional<UnitView> ReshapedView(const UnitView& view, const Sizes& wanted, int64_t fixed_batch,
                                     int64_t fixed_steps) {
  const auto open = std::find(wanted.begin(), wanted.end(), -1);
  PartsTaker taker(PartsOf(view.dims), fixed_batch, fixed_steps);
  UnitView reshaped = {.dims = {}, .first = view.first};
  for (auto size = wanted.begin(); size != open; ++size) {
    auto dim = taker.Take(*size, false);
    if (*size < 1 && !IsFree(*size)) return {};
    if (!dim) return {};
    reshaped.dims.push_back(*dim);
  }
  std::vector<ViewDim> behind;
  for (auto size = wanted.end(); open != wanted.end() && --size != open;) {
    if (*size < 1 && !IsFree(*size)) return {};
    auto dim = taker.Take(*size, true);
    if (!dim) return {};
    behind.push_back(*dim);
  }
  if (open != wanted.end())
    reshaped.dims.push_back(taker.parts());
  else if (!taker.parts().empty())
    return {};
  reshaped.dims.insert(reshaped.dims.end(), behind.rbegin(), behind.rend());
  return reshaped;
}

}  // namespace singa
