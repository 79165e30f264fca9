// GpuExchange is the RegionExchange of a worker whose group has a GPU for each worker. Regions go
// from GPU to GPU, in another stream than the worker's computations. No call waits for the
// transfers that it starts.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "comm/exchange/region_board.h"
#include "singa/tensor/stream.h"
#include "tensor/gpu/gpu_group.h"

namespace singa {

class GpuExchange final : public RegionExchange {
 public:
  // The exchange of worker `worker` of the group. `ctx`: the worker's, on its GPU. `stream`: of the
  // same GPU, for transfers alone. Both must outlive it. Throws DeviceError.
  GpuExchange(const RegionSizes& sizes, int worker, Context* ctx, Stream* stream);

  // Returns the bytes of the exchange of one worker.
  static int64_t Bytes(const RegionSizes& sizes, int worker);
  // Sets the group that carries the regions. It must outlive the exchange's work. `meet`, which may
  // be empty, is called before and after a transfer begins.
  void Join(GpuGroup* group, std::function<void()> meet);

  void Offer(Context& ctx, int tag, int to, const Region& region) override;
  void EndOffers(Context& ctx, int tag) override;
  void Take(Context& ctx, int tag, int from, const Region& to, bool add) override;
  void AwaitTaken(int tag) override;
  void DropOffers() override { transfers_.clear(); }

 private:
  // The packed regions of one tag, by the other worker; null: there is none.
  struct Rooms {
    std::vector<float*> offered, taken;
  };

  const RegionSizes sizes_;
  const int worker_;
  Context* const ctx_;
  Stream* const stream_;
  Tensor memory_;
  std::vector<Rooms> rooms_;                    // by tag
  std::vector<std::unique_ptr<Event>> passed_;  // by tag: its regions have come and gone
  std::vector<GpuTransfer> transfers_;          // of the tag whose regions are being offered
  GpuGroup* group_ = nullptr;                   // null: not joined yet
  std::function<void()> meet_;
};

}  // namespace singa
