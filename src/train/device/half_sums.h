// HalfSums adds up a group's gradients, which travel in the form of kFp16. Each member owns some
// slices: the others send it their codes, it adds them up in float32, and sends all the code of the
// sum. The bits are those of RankSums (cluster/ranks). An all-gather of the codes would send
// members / 2 times as much, and a sum in float16 would round at each addition.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "comm/codec/half_slices.h"
#include "singa/tensor/context.h"
#include "singa/tensor/stream.h"
#include "tensor/gpu/gpu_group.h"

namespace singa {

class HalfSums {
 public:
  // A run of floats of the gradients' tensor.
  struct Run {
    int64_t begin, size;
  };
  // Makes the sums of one member of `group`, in `stream`. All that it is given must outlive it.
  // slices: of the tensor `values`, rising; clip: as in EncodeHalves. `meet` returns when all
  // members have come to the same place; it does nothing while a step is captured.
  HalfSums(GpuGroup* group, const GpuMember& member, const Context& ctx, Stream* stream,
           Tensor* values, std::vector<Run> slices, float clip, std::function<void()> meet);

  // Makes the floats [begin, end), whole slices, one piece of the sums. Pieces are added first.
  void AddPiece(int64_t begin, int64_t end);
  // Allocates the memory for the pieces. Throws DeviceError.
  void Allocate();
  // Adds up piece `piece`, in the order of the stream's work.
  void AddUp(size_t piece);

  // Returns the bytes that sums of `floats` floats in `slices` slices need.
  static int64_t Bytes(int64_t floats, int64_t slices);

 private:
  struct Piece {
    int64_t first, last;        // slices
    std::vector<int> shares;    // member m owns slices [shares[m], shares[m + 1]) of the piece
    std::vector<int64_t> ends;  // codes before each share, and of all
  };
  int64_t CodesOf(const Piece& piece, int member) const {
    return piece.ends[member + 1] - piece.ends[member];
  }
  void SendParts(const Piece& piece);
  void SendSums(const Piece& piece);

  GpuGroup* const group_;
  const int member_, members_;
  Context ctx_;  // computes in the stream of the sums
  float* const values_;
  const std::vector<Run> runs_;
  const float clip_;
  const std::function<void()> meet_;
  std::vector<HalfSlice> slices_;  // until they are on the device
  std::vector<Piece> pieces_;
  // codes_: this member's own; parts_: [members - 1, share], the others'; sums_: the sums' codes.
  Tensor on_device_, part_places_, codes_, parts_, sums_;
};

}  // namespace singa
