"""Checks memory that runs out within a call of oneDNN, or may not be executable."""
import re

from case import check, equal, has, same_bytes, true
from disk_checks import compiled
from job import dense, mlp
from process_checks import APART, processes

# Call CALL of the function NAME finds no memory. NAME is PRODUCT, or a function of few arguments.
NO_MEMORY = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#define TEXT(name) #name
#define QUOTED(name) TEXT(name)
#define FIND *(void**)&real = dlsym(RTLD_NEXT, QUOTED(NAME))
#define FAILS (__atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) == CALL)
enum { OUT_OF_MEMORY = 1 };
static int calls;
#ifdef PRODUCT
int NAME(char ta, char tb, int64_t m, int64_t n, int64_t k, float alpha, const float* a,
         int64_t lda, const float* b, int64_t ldb, float beta, float* c, int64_t ldc) {
  int (*real)(char, char, int64_t, int64_t, int64_t, float, const float*, int64_t, const float*,
              int64_t, float, float*, int64_t);
  FIND;
  return FAILS ? OUT_OF_MEMORY : real(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
#else
int NAME(void* a, void* b, void* c, void* d, void* e, void* f) {
  int (*real)(void*, void*, void*, void*, void*, void*);
  FIND;
  return FAILS ? OUT_OF_MEMORY : real(a, b, c, d, e, f);
}
#endif
"""
CONVOLUTIONS = """
train_steps: 5 seed: 1 num_openblas_threads: 1 train_one_batch { alg: kBP }
updater { type: kSGD learning_rate { type: kFixed base_lr: 0.001 } }
neuralnet {
  layer { name: "data" type: kRecordInput store_conf { backend: "synthetic" batchsize: 4
          shape: 16 shape: 8 shape: 8 std_value: 255 } }""" + "".join(f"""
  layer {{ name: "conv{i}" type: kConvolution srclayers: "{source}"
          convolution_conf {{ num_filters: 16 kernel: 3 pad: 1 }}
          param {{ name: "w{i}" init {{ type: kGaussian std: 0.1 }} }}
          param {{ name: "b{i}" init {{ type: kConstant value: 0 }} }} }}"""
    for i, source in ((1, "data"), (2, "conv1"))) + dense("fc", "conv2", 3, 10) + """
  layer { name: "loss" type: kSoftmaxLoss srclayers: "fc" srclayers: "data" }
}
cluster { workspace: "ws" }
"""


def without_memory(case, function, number, *args, product=False):
    """Runs `singa -conf job.conf`. Call `number` of oneDNN's `function` finds no memory."""
    name = f"no_memory_{function}_{number}"
    source = f"#define NAME {function}\n#define CALL {number}\n"
    library = compiled(case, name, source + ("#define PRODUCT\n" if product else "") + NO_MEMORY)
    return case.start_program(["env", f"LD_PRELOAD={library}", str(case.site.binary), "-conf",
                               "job.conf", *args])


@check
def a_product_that_finds_no_memory_ends_the_job_and_names_the_layer(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 20 disp_freq: 5", batch=48))
    for args in ((), processes(2), processes(2, APART)):
        for number in (1, 2, 30):
            job = without_memory(case, "dnnl_sgemm", number, *args, product=True).end(69)
            has(job.err, "oneDNN: a product of matrices: out of memory", "stderr")
            true(re.search(r'layer "fc[12](@\d)?": oneDNN', job.err), f"no layer: {job.err}")
            true("restart" not in job.err and "go on from" not in job.err, f"again: {job.err}")


@check
def a_convolution_that_finds_no_memory_is_not_computed_in_another_way(case):
    case.write("job.conf", CONVOLUTIONS)
    case.train("job.conf")
    for function in ("dnnl_primitive_desc_iterator_create", "dnnl_primitive_create",
                     "dnnl_primitive_execute", "dnnl_memory_create", "dnnl_stream_create",
                     "dnnl_reorder_primitive_desc_create"):
        for number in (1, 2):
            job = without_memory(case, function, number).end(69)
            true(re.search(r'layer "conv[12]": oneDNN: a (convolution|primitive): out of memory',
                           job.err), f"call {number} of {function}: {job.err}")


@check
def a_product_within_a_convolution_that_finds_no_memory_ends_the_job(case):
    # With 20 channels the gradients are products, which two threads compute.
    case.write("job.conf", CONVOLUTIONS.replace("num_filters: 16", "num_filters: 20")
               .replace("num_openblas_threads: 1", "num_openblas_threads: 2"))
    case.train("job.conf")
    for number in (4, 5, 6):  # those before are of the layer above
        job = without_memory(case, "dnnl_sgemm", number, product=True).end(69)
        has(job.err, 'layer "conv2": oneDNN: a product of matrices: out of memory', "stderr")


# From call CALL on, no memory can be made executable.
NO_KERNELS = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>
int mprotect(void* place, size_t bytes, int protection) {
  static int calls;
  static const char kSaid[] = "refused\n";
  int (*real)(void*, size_t, int);
  if (!(protection & PROT_EXEC) || __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) < CALL) {
    *(void**)&real = dlsym(RTLD_NEXT, "mprotect");
    return real(place, bytes, protection);
  }
  (void)!write(2, kSaid, sizeof kSaid - 1);
  errno = REFUSED;
  return -1;
}
"""


def without_kernels(case, number, error, *args):
    """Runs `singa -conf job.conf`. Calls of mprotect from `number` on fail with `error`."""
    source = f"#define CALL {number}\n#define REFUSED {error}\n" + NO_KERNELS
    library = compiled(case, f"no_kernels_{number}_{error}", source)
    return case.start_program(["env", f"LD_PRELOAD={library}", str(case.site.binary), "-conf",
                               "job.conf", *args])


@check
def a_job_without_executable_memory_ends_and_names_what_is_refused(case):
    product = mlp(case.site.data, "train_steps: 2", batch=48)
    for conf in (product, CONVOLUTIONS):
        case.write("job.conf", conf)
        for error, text in (("EACCES", "Permission denied; does a policy"),
                            ("ENOMEM", "Cannot allocate memory; out of memory")):
            err = without_kernels(case, 1, error).end(69).err
            has(err, "no executable memory for its kernels (mprotect): " + text, "stderr")
            has(err, "; plain_kernels: true trains without oneDNN", "stderr")
    case.write("job.conf", product)
    without_kernels(case, 1, "EACCES", "-set", "plain_kernels=true").end(0)


@check
def a_job_does_not_go_on_with_other_kernels_than_the_machine_has(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 4", batch=4, hidden=8))
    for number in (1, 4, 10, 23, 40):
        job = without_kernels(case, number, "EACCES").end()
        equal(job.popen.returncode, 69 if "refused\n" in job.err else 0, f"call {number}")


# The product succeeds. A call within it failed with LEFT, which was repaired.
LEAVES_ERRNO = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
int dnnl_sgemm(char ta, char tb, int64_t m, int64_t n, int64_t k, float alpha, const float* a,
               int64_t lda, const float* b, int64_t ldb, float beta, float* c, int64_t ldc) {
  int (*real)(char, char, int64_t, int64_t, int64_t, float, const float*, int64_t, const float*,
              int64_t, float, float*, int64_t);
  *(void**)&real = dlsym(RTLD_NEXT, "dnnl_sgemm");
  const int status = real(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  errno = LEFT;
  return status;
}
"""


@check
def a_product_that_succeeds_does_not_end_the_job_for_what_errno_holds(case):
    case.train(mlp(case.site.data, "train_steps: 4", batch=48))
    for error in ("ENOMEM", "EPERM"):
        library = compiled(case, f"leaves_{error}", f"#define LEFT {error}\n" + LEAVES_ERRNO)
        case.start_program(["env", f"LD_PRELOAD={library}", str(case.site.binary), "-conf",
                            "job.conf", "-set", f"cluster.workspace={error}"]).end(0)
        same_bytes(case.newest(error), case.newest())
