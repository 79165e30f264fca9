"""Checks the findings of `singa doctor` about a machine."""
import json
import os
import pathlib
import re

from case import check, equal, has, true

NAMES = ["singa", "build id", "protobuf", "zlib", "libjpeg-turbo", "libpng", "libarchive", "liblmdb",
         "compiler",
         "processor", "instruction set", "CPU features", "cores", "OpenMP threads", "computing", "memory",
         "memory to be had", "open files", "disk of this folder", "/dev/shm", "locale", "clock",
         "kMemory", "kServers", "kMpi", "GPU", "Graphviz's dot"]


@check
def doctor_shows_what_the_machine_has(case):
    out = case.run("doctor").out
    for name in NAMES:
        true(re.search(rf"^(ok|warn)  +{re.escape(name)}  +\S", out, re.MULTILINE),
             f"no line {name!r} in:\n{out}")
    has(out, "A job can run here.", "doctor")


@check
def doctor_says_the_same_in_json(case):
    report = json.loads(case.run("doctor", "-json").out)
    equal(report["ok"], True, "ok")
    found = {line["name"]: line for line in report["checks"]}
    for name in NAMES:
        true(found[name]["value"], f"no value of {name}")
        true(found[name]["status"] == "ok" or found[name]["advice"], f"no advice on {name}")


@check
def doctor_sends_a_message_by_mpi(case):
    found = {line["name"]: line for line in json.loads(case.run("doctor", "-json").out)["checks"]}
    true(re.search(r"(sends messages|^not there: .*)$", found["kMpi"]["value"]), found["kMpi"])


@check
def doctor_adds_up_on_gpus(case):
    emulated = case.site.binary.parent / "emulated_singa"
    for gpus, finding in ((2, r"^ok    kNccl +the sum over 2 GPUs is right$"), (0, "")):
        out = case.start_program(["env", f"SINGA_EMULATED_GPUS={gpus}", emulated, "doctor"]).end(0).out
        equal("kNccl" in out, gpus > 0, f"whether a sum is reported in:\n{out}")
        true(re.search(finding, out, re.MULTILINE), f"no {finding!r} in:\n{out}")


@check
def doctor_names_cuda_and_its_libraries_where_the_build_has_it(case):
    found = {line["name"]: line for line in json.loads(case.run("doctor", "-json").out)["checks"]}
    libraries = [name for name in ("cuBLASLt", "cuDNN", "NCCL") if name in found]
    equal(len(libraries), 3 if "CUDA" in found else 0, "libraries of CUDA")
    for name in libraries:
        value = found[name]["value"]
        true(re.fullmatch(r"\d+\.\d+\.\d+", value) or "cannot open" in value, f"{name}: {value}")
        if "GPU" in found:  # where there is none
            equal(found[name]["status"], "ok", name)


@check
def doctor_of_a_process_that_cannot_run_a_job_is_69_with_advice(case):
    command = f"ulimit -n 16; exec {case.site.binary} doctor"
    out = case.start_program(["bash", "-c", command]).end(69).out
    true(re.search(r"^FAIL  open files +16\n +-> .*ulimit -n", out, re.MULTILINE), out)
    has(out, "No job can run here.", "doctor")


@check
def doctor_in_a_folder_that_takes_no_file_advises_on_the_workspace(case):
    command = f"cd /proc; exec {case.site.binary} doctor"
    out = case.start_program(["bash", "-c", command]).end(0).out
    true(re.search(r"^warn  disk of this folder .*\n +-> .*cluster.workspace", out,
                   re.MULTILINE), out)


@check
def doctor_names_the_features_of_the_processor(case):
    flags = pathlib.Path("/proc/cpuinfo").read_text().partition("flags")[2].partition("\n")[0]
    out = case.run("doctor").out
    found = re.search(r"^ok    CPU features +(.*)$", out, re.MULTILINE).group(1).split()
    for name in ("avx2", "fma", "avx512f", "avx512_vnni", "avx512_bf16"):
        equal(name in found, name in flags.split(), name)


@check
def doctor_advises_on_threads_that_spin(case):
    command = f"OMP_WAIT_POLICY=active exec {case.site.binary} doctor"
    out = case.start_program(["bash", "-c", command]).end(0).out
    true(re.search(r"^warn  OpenMP threads .*\n +-> threads spin", out, re.MULTILINE), out)


@check
def doctor_says_where_openmp_may_not_use_all_cores(case):
    command = ["env", "OMP_THREAD_LIMIT=1", str(case.site.binary), "doctor"]
    if len(os.sched_getaffinity(0)) > 1:
        has(case.start_program(command).end(0).out, "OMP_THREAD_LIMIT leaves workers fewer", "stdout")


@check
def doctor_takes_no_argument(case):
    case.run("doctor", "job.conf", code=2)
    case.run("doctor", "-svg", code=2)
