// Plans each kind of product once by cuBLASLt. Its heuristics choose the algorithm; a choice by
// timing could differ in the next run.
#include "math/gemm/cublas_product.h"

#include <cublasLt.h>
#include <glog/logging.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>

#include "math/gemm/column_major.h"
#include "singa/base/error.h"
#include "tensor/gpu/cuda_stream.h"
#include "tensor/gpu/gpu_libraries.h"

namespace singa {
namespace {

template <typename F>
using Lt = LibraryFunction<F>;
constinit Lt<decltype(cublasLtGetStatusString)> StatusString(&cublas_lt, "cublasLtGetStatusString");
constinit Lt<decltype(cublasLtCreate)> Create(&cublas_lt, "cublasLtCreate");
constinit Lt<decltype(cublasLtDestroy)> Destroy(&cublas_lt, "cublasLtDestroy");
constinit Lt<decltype(cublasLtMatmulDescCreate)> DescCreate(&cublas_lt, "cublasLtMatmulDescCreate");
constinit Lt<decltype(cublasLtMatmulDescDestroy)> DescDestroy(&cublas_lt,
                                                              "cublasLtMatmulDescDestroy");
constinit Lt<decltype(cublasLtMatmulDescSetAttribute)> DescSet(&cublas_lt,
                                                               "cublasLtMatmulDescSetAttribute");
constinit Lt<decltype(cublasLtMatrixLayoutCreate)> LayoutCreate(&cublas_lt,
                                                                "cublasLtMatrixLayoutCreate");
constinit Lt<decltype(cublasLtMatrixLayoutDestroy)> LayoutDestroy(&cublas_lt,
                                                                  "cublasLtMatrixLayoutDestroy");
constinit Lt<decltype(cublasLtMatmulPreferenceCreate)> PreferenceCreate(
    &cublas_lt, "cublasLtMatmulPreferenceCreate");
constinit Lt<decltype(cublasLtMatmulPreferenceDestroy)> PreferenceDestroy(
    &cublas_lt, "cublasLtMatmulPreferenceDestroy");
constinit Lt<decltype(cublasLtMatmulPreferenceSetAttribute)> PreferenceSet(
    &cublas_lt, "cublasLtMatmulPreferenceSetAttribute");
constinit Lt<decltype(cublasLtMatmulAlgoGetHeuristic)> Heuristic(&cublas_lt,
                                                                 "cublasLtMatmulAlgoGetHeuristic");
constinit Lt<decltype(cublasLtMatmul)> Matmul(&cublas_lt, "cublasLtMatmul");

void Check(cublasStatus_t status, const char* what) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw DeviceError(StrCat("cuBLAS: ", what, ": ", StatusString(status)));
}

struct FreeDesc {
  void operator()(cublasLtMatmulDesc_t p) const { DescDestroy(p); }
};
struct FreeLayout {
  void operator()(cublasLtMatrixLayout_t p) const { LayoutDestroy(p); }
};
struct FreePreference {
  void operator()(cublasLtMatmulPreference_t p) const { PreferenceDestroy(p); }
};
using Desc = std::unique_ptr<cublasLtMatmulDescOpaque_t, FreeDesc>;
using Layout = std::unique_ptr<cublasLtMatrixLayoutOpaque_t, FreeLayout>;
using Preference = std::unique_ptr<cublasLtMatmulPreferenceOpaque_t, FreePreference>;

// Returns the largest power of two that divides the address, 256 at most.
uint32_t AlignmentOf(const void* p) {
  const auto address = reinterpret_cast<uintptr_t>(p) | 256;
  return static_cast<uint32_t>(address & -address);
}

// In bytes. Kernels load a bias with this alignment, and the library has no preference for another.
constexpr uint32_t kBiasAlignment = 16;

// The facts that decide how a product is done.
struct Kind {
  int64_t m, n, k, lda, ldb, ldc;
  bool a_transposed, b_transposed, bias;
  Precision precision;
  std::array<uint32_t, 4> alignment;  // of left, right, result and bias
  auto operator<=>(const Kind&) const = default;
};

Layout MakeLayout(int64_t rows, int64_t cols, int64_t ld) {
  cublasLtMatrixLayout_t layout = nullptr;
  Check(LayoutCreate(&layout, CUDA_R_32F, static_cast<uint64_t>(rows), static_cast<uint64_t>(cols),
                     ld),
        "a matrix");
  return Layout(layout);
}

template <typename T>
void SetDesc(const Desc& desc, cublasLtMatmulDescAttributes_t name, const T& value) {
  Check(DescSet(desc.get(), name, &value, sizeof(value)), "a product's attribute");
}

template <typename T>
void Prefer(const Preference& preference, cublasLtMatmulPreferenceAttributes_t name,
            const T& value) {
  Check(PreferenceSet(preference.get(), name, &value, sizeof(value)), "a preference");
}

// Allows only sums of parts in the workspace, which have a fixed order.
Preference MakePreference(const Kind& kind) {
  cublasLtMatmulPreference_t made = nullptr;
  Check(PreferenceCreate(&made), "preferences");
  Preference preference(made);
  Prefer(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
         static_cast<uint64_t>(CudaStream::kWorkspaceBytes));
  Prefer(preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
         static_cast<uint32_t>(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE));
  Prefer(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, kind.alignment[0]);
  Prefer(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, kind.alignment[1]);
  Prefer(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, kind.alignment[2]);
  Prefer(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, kind.alignment[2]);
  return preference;
}

// Returns the type to which the library may round factors as it reads them. It may also not round
// them, or use TF32 instead of 16 bits.
cublasComputeType_t ComputeTypeOf(Precision precision) {
  switch (precision) {
    case Precision::kFloat32:
      return CUBLAS_COMPUTE_32F;
    case Precision::kTf32:
      return CUBLAS_COMPUTE_32F_FAST_TF32;
    case Precision::kBFloat16:
      return CUBLAS_COMPUTE_32F_FAST_16BF;
    case Precision::kFloat16:
      return CUBLAS_COMPUTE_32F_FAST_16F;
  }
  return CUBLAS_COMPUTE_32F;
}

// Returns the precision to try if the library has no algorithm: one that rounds factors less.
Precision NextOf(Precision precision) {
  return IsHalf(precision) ? Precision::kTf32 : Precision::kFloat32;
}

// A Plan does products of one kind.
class Plan {
 public:
  Plan(cublasLtHandle_t handle, const Kind& kind, const ColumnMajorProduct& product,
       const float* bias)
      : left_(MakeLayout(product.left.rows, product.left.cols, product.left.ld)),
        right_(MakeLayout(product.right.rows, product.right.cols, product.right.ld)),
        result_(MakeLayout(product.rows, product.cols, kind.ldc)) {
    Precision precision = kind.precision;
    Choose(handle, kind, precision, product, bias);
    while (!possible_ && precision != Precision::kFloat32) {
      precision = NextOf(precision);
      Choose(handle, kind, precision, product, bias);
    }
    if (possible_ && precision == kind.precision) return;
    LOG(WARNING) << "cuBLAS has no algorithm for a product [" << kind.m << ", " << kind.k << "] x ["
                 << kind.k << ", " << kind.n << "] as precise as the job asks: "
                 << (possible_ ? "one that rounds less" : "a slower kernel") << " does it";
  }

  bool possible() const { return possible_; }

  void Run(CudaStream& stream, cublasLtHandle_t handle, float alpha,
           const ColumnMajorProduct& product, float beta, float* c, const float* bias) const {
    SetBias(bias);
    Check(Matmul(handle, desc_.get(), &alpha, product.left.data, left_.get(), product.right.data,
                 right_.get(), &beta, c, result_.get(), c, result_.get(), &algorithm_,
                 stream.workspace(), static_cast<size_t>(CudaStream::kWorkspaceBytes),
                 stream.handle()),
          "a product of matrices");
  }

 private:
  void SetBias(const float* bias) const {
    if (bias) SetDesc(desc_, CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
  }

  void Describe(Precision precision, const ColumnMajorProduct& product, const float* bias) {
    cublasLtMatmulDesc_t desc = nullptr;
    Check(DescCreate(&desc, ComputeTypeOf(precision), CUDA_R_32F), "a product");
    desc_.reset(desc);
    SetDesc(desc_, CUBLASLT_MATMUL_DESC_TRANSA,
            product.left.transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
    SetDesc(desc_, CUBLASLT_MATMUL_DESC_TRANSB,
            product.right.transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
    if (bias) SetDesc(desc_, CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_BIAS);
    SetBias(bias);
  }

  void Choose(cublasLtHandle_t handle, const Kind& kind, Precision precision,
              const ColumnMajorProduct& product, const float* bias) {
    Describe(precision, product, bias);
    const Preference preference = MakePreference(kind);
    cublasLtMatmulHeuristicResult_t found{};
    int count = 0;
    const cublasStatus_t status =
        Heuristic(handle, desc_.get(), left_.get(), right_.get(), result_.get(), result_.get(),
                  preference.get(), 1, &found, &count);
    possible_ =
        status == CUBLAS_STATUS_SUCCESS && count == 1 && found.state == CUBLAS_STATUS_SUCCESS;
    if (status != CUBLAS_STATUS_NOT_SUPPORTED) Check(status, "choosing how to multiply");
    algorithm_ = found.algo;
  }

  const Layout left_, right_, result_;
  Desc desc_;
  cublasLtMatmulAlgo_t algorithm_{};
  bool possible_ = false;
};

// The cuBLAS handle and the plans that a stream keeps.
class Products {
 public:
  explicit Products(CudaStream*) { Check(Create(&handle_), "starting it"); }
  ~Products() {
    plans_.clear();
    Destroy(handle_);
  }
  Products(const Products&) = delete;

  cublasLtHandle_t handle() const { return handle_; }
  const Plan& PlanOf(const Kind& kind, const ColumnMajorProduct& product, const float* bias) {
    std::unique_ptr<Plan>& plan = plans_[kind];
    if (!plan) plan = std::make_unique<Plan>(handle_, kind, product, bias);
    return *plan;
  }

 private:
  cublasLtHandle_t handle_ = nullptr;
  std::map<Kind, std::unique_ptr<Plan>> plans_;
};

}  // namespace

bool CublasProduct(Context& ctx, int64_t m, int64_t n, int64_t k, float alpha, GemmOperand a,
                   GemmOperand b, float beta, float* c, int64_t ldc, const float* bias) {
  if (bias && AlignmentOf(bias) < kBiasAlignment) return false;
  CudaStream& stream = CudaStreamOf(ctx);
  const ColumnMajorProduct product(m, n, k, a, b);
  const Kind kind = {m,
                     n,
                     k,
                     a.ld,
                     b.ld,
                     ldc,
                     a.transposed,
                     b.transposed,
                     bias != nullptr,
                     ctx.precision,
                     {AlignmentOf(b.data), AlignmentOf(a.data), AlignmentOf(c), AlignmentOf(bias)}};
  Products& products = stream.Part<Products>();
  const Plan& plan = products.PlanOf(kind, product, bias);
  if (plan.possible()) plan.Run(stream, products.handle(), alpha, product, beta, c, bias);
  return plan.possible();
}

}  // namespace singa
