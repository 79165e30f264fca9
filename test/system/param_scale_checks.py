"""Checks factors that patterns of names give params."""
from case import check, equal, has, same_bytes, true
from checkpoint_checks import model
from group_checks import workers
from job import mlp
from process_checks import APART, processes

PATTERNS = """neuralnet {
  param_scale { names: "b*" lr_scale: 0 }
  param_scale { names: "?1" lr_scale: 0.1 wd_scale: 0 }
  param_scale { names: "w2" lr_scale: 3 }
"""
OWN = {"w1": "lr_scale: 0.1 wd_scale: 0", "b1": "lr_scale: 0.1 wd_scale: 0", "b2": "lr_scale: 0"}


@check
def patterns_scale_params_as_their_own_factors_do(case):
    own = mlp(case.site.data, "train_steps: 10").replace('name: "w2"', 'name: "w2" lr_scale: 2')
    patterns = own.replace("neuralnet {", PATTERNS)
    for name, factors in OWN.items():
        own = own.replace(f'name: "{name}"', f'name: "{name}" {factors}')
    for place, args in {"one": (), "threads": workers(2), "processes": processes(2),
                        "servers": processes(2, APART)}.items():
        case.train(own, *args, workspace="own")
        case.train(patterns, *args, workspace=place)
        equal(model(case, place), model(case, "own"), f"{place}: params")
    case.train(patterns, "-set", "train_steps=5", workspace="resumed")
    case.train(patterns, "-resume", workspace="resumed")
    same_bytes(case.newest("resumed"), case.newest("one"))


@check
def check_names_params_that_a_pattern_freezes(case):
    conf = mlp(case.site.data, "train_steps: 10")
    case.write("job.conf", conf.replace("neuralnet {", 'neuralnet { param_scale { names: "?1" }'))
    out = case.run("check", "job.conf", "-set", "neuralnet.param_scale[0].lr_scale=0").out
    has(out, "  frozen (lr_scale: 0)  w1, b1\n", "check")


@check
def a_net_that_is_trained_on_keeps_its_frozen_params(case):
    conf = mlp(case.site.data, "train_steps: 10")
    case.train(conf)
    scaled = conf.replace("neuralnet {", 'neuralnet { param_scale { names: "?1" lr_scale: 0 }')
    scaled = scaled.replace('"w2"', '"new_w"').replace('"b2"', '"new_b"')
    case.train(scaled, "-set", "checkpoint_path=ws", workspace="more")
    old, new = model(case), model(case, "more")
    equal({name: new[name] for name in ("w1", "b1")}, {name: old[name] for name in ("w1", "b1")},
          "frozen params")
    true(new["new_w"] != old["w2"], "the new layer has the old one's values")
