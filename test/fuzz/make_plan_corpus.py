#!/usr/bin/env python3
"""Makes the seeds of plan_texts_fuzz and machine_fuzz in corpus/ beside this file."""
import json
import pathlib

CORPUS = pathlib.Path(__file__).parent / "corpus"


def save(target, seeds):
    folder = CORPUS / target
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in seeds.items():
        (folder / name).write_text(text, encoding="utf-8")


LAYERS = [{"name": "fc1", "rows": 1, "units": 4}, {"name": "fc2", "rows": 2, "units": 2}]
PARTITION = {"layers": LAYERS, "workers": 4, "predicted_ms": 1.5, "predicted_data_ms": 3, "measured_ms": 2,
             "measured_data_ms": 4, "predicted_bytes": 1000, "why": "\u00e9 \"why\""}
TIMES = {"rest_ms": 1, "spread": 0.1,
         "layers": [{"name": "fc1", "forward_ms": 1, "backward_ms": 2.5, "update_ms": 0}]}
MACHINE = "cores: 4 gflops: 100 gb_per_s: 20 "

save("plan_texts", {
    "partition": json.dumps(PARTITION),
    "partition_no_layers": json.dumps({"layers": 3, "workers": 2}),
    "partition_layer_is_a_number": json.dumps({"layers": [3], "workers": 2}),
    "partition_no_rows": json.dumps({"layers": [{"name": "a", "rows": 0, "units": 2}], "workers": 2}),
    "partition_large": json.dumps({"layers": [], "workers": 2, "predicted_bytes": 1e300, "why": 3}),
    "times": json.dumps([TIMES, dict(TIMES, layers=[])]),
    "times_negative": json.dumps([dict(TIMES, rest_ms=-1)]),
    "times_no_name": json.dumps([dict(TIMES, layers=[{"forward_ms": 1}])]),
    "times_no_layers": json.dumps([{"rest_ms": 1}]),
    "steps": json.dumps([{"layers": LAYERS, "step_ms": 2.5}, {"layers": [], "step_ms": 3}]),
    "steps_negative": json.dumps([{"layers": [], "step_ms": -3}]),
    "errors": "[0.5, -0.25, 3]",
    "errors_below": "[-1]",
    "errors_many": json.dumps([0] * 101),
    "cut": '{"layers": [',
})
save("machine", {
    "good": MACHINE,
    "whole": 'name: "m" ' + MACHINE + "gpus: 8 memory_gb: 32 exchange_gb_per_s: 50 exchange_us: 3 "
             "link_gbit: 100 link_us: 10 call_us: 2 host_gb_per_s: 10 "
             "rate { type: kConvolution gflops: 90 } rate { type: kReLU gb_per_s: 9 }",
    "zero": "cores: 0 gflops: 0 gb_per_s: -1 link_gbit: 0 call_us: -1",
    "not_a_number": "gflops: nan gb_per_s: inf",
    "large": "cores: 5000 gflops: 1e13 gb_per_s: 1e-10 link_us: 1e13 rate { gflops: 1 }",
    "unknown_field": MACHINE + "speed: 3",
    "cut": "rate { type: kReLU",
    "empty": "",
})
