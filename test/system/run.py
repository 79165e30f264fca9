#!/usr/bin/env python3
"""Runs whole jobs with the real binary: processes, signals, files, exit codes.

usage: run.py BINARY [WORD...]; WORDs choose the checks whose names hold one of them.
Prints a line a check and exits 1 where one failed.
"""
import concurrent.futures
import pathlib
import sys
import tempfile
import time
import traceback

import case
# Each module registers its checks.
import accumulate_checks
import advice_checks
import attention_checks
import auto_partition_checks
import average_checks
import bad_record_checks
import bench_checks
import board_checks
import checkpoint_checks
import column_checks
import command_checks
import compression_checks
import consistency_checks
import container_checks
import data_checks
import default_value_checks
import descriptor_checks
import disk_checks
import doctor_checks
import exit_code_checks
import export_checks
import failpoint_checks
import feature_checks
import finite_checks
import first_process_checks
import first_record_checks
import first_value_checks
import generation_checks
import gpu_codec_checks
import gpu_fault_checks
import gpu_group_checks
import gpu_partition_checks
import group_checks
import heads_checks
import import_checks
import interrupt_checks
import launcher_end_checks
import layers_checks
import left_out_checks
import library_checks
import list_checks
import meeting_checks
import metrics_checks
import new_job_checks
import onednn_checks
import onnx_import_checks
import onnx_sequence_checks
import outer_checks
import param_scale_checks
import partition_checks
import picture_size_checks
import plan_checks
import plan_mode_checks
import predict_checks
import predict_input_checks
import predict_text_checks
import previous_run_checks
import process_checks
import process_group_checks
import rank_sum_checks
import record_order_checks
import residual_checks
import resume_checks
import row_checks
import sequence_checks
import serve_checks
import staleness_checks
import stop_checks
import store_facts_checks
import replacement_checks
import report_checks
import sum_checks
import table_checks
import target_checks
import tensorboard_checks
import terminal_checks
import text_checks
import usage_checks
import v03_checks
import wide_group_checks
import word_checks

JOBS = 2  # checks at a time; the trainings use one thread each


class Site:
    def __init__(self, binary, folder):
        self.binary = pathlib.Path(binary).resolve()
        self.root = pathlib.Path(__file__).resolve().parent.parent.parent
        self.data = pathlib.Path(folder) / "digits"


def run(site, function, folder):
    """Returns the check's line and whether it passed."""
    folder.mkdir()
    one = case.Case(site, folder)
    start = time.monotonic()
    try:
        function(one)
        failure = ""
    except case.Failure as error:
        failure = str(error)
    except Exception:  # any error of a check: a missing file, a row without a field
        failure = traceback.format_exc()
    finally:
        one.end()
    line = f"{'FAIL' if failure else 'ok  '} {function.__name__} ({time.monotonic() - start:.1f} s)"
    for text in (one.note, failure):
        line += "".join(f"\n     {part}" for part in text.splitlines())
    return line, not failure


def main(binary, words):
    checks = [check for check in case.CHECKS
              if not words or any(word in check.__name__ for word in words)]
    with tempfile.TemporaryDirectory(prefix="singa-system-") as folder:
        site = Site(binary, folder)
        digits = case.Case(site, folder)
        digits.run("data", "digits", site.data)
        passed = 0
        with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
            runs = [pool.submit(run, site, check, pathlib.Path(folder) / f"{i}")
                    for i, check in enumerate(checks)]
            for done in concurrent.futures.as_completed(runs):
                line, ok = done.result()
                passed += ok
                print(line, flush=True)
    print(f"{passed} passed, {len(checks) - passed} failed")
    return passed < len(checks) or not checks


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2:]))
