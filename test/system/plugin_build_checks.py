"""Checks the flags with which plugins are compiled, and plugins of other flags than singa's."""
import json
import pathlib
import re

import case
from plugin_case import HEAD, build, refused, small

ROOT = pathlib.Path(__file__).resolve().parents[2]

# This is a user's project, with a part in a folder of its own.
PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(mine LANGUAGES CXX)
%s
add_subdirectory(part)
add_library(whole MODULE a.cc)
target_link_libraries(whole singa::singa)
"""
PART = """
singa_plugin(part SOURCES ../a.cc)
"""


def optimisations(one, source, *words):
    """Returns the -O with which each file of a CMake project is compiled."""
    built = one.path(f"built{len(list(one.folder.glob('built*')))}")
    build("cmake", "-S", source, "-B", built, "-G", "Ninja", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
          f"-DCMAKE_PREFIX_PATH={one.site.prefix}", *words)
    commands = json.loads((built / "compile_commands.json").read_text())
    case.true(commands, "no file is compiled")
    return {tuple(re.findall(r" -O\S*", command["command"])) for command in commands}


def projects_are_compiled_optimised_unless_they_say_how(one):
    for example in ("custom_layer", "rnnlm"):
        source = ROOT / "examples" / example
        case.equal(optimisations(one, source), {(" -O3",)}, f"{example} by README's command")
        case.equal(optimisations(one, source, "-DCMAKE_BUILD_TYPE=Debug"), {()}, "a debug build")
    one.write("mine/a.cc", HEAD)
    one.write("mine/part/CMakeLists.txt", PART)
    for found, words, expected in (
            ("find_package(singa CONFIG REQUIRED)", [], {(" -O3",)}),
            ("find_package(singa CONFIG REQUIRED)", ["-DCMAKE_CXX_FLAGS=-O1"], {(" -O1",)}),
            ("find_package(singa CONFIG REQUIRED)", ["-DCMAKE_BUILD_TYPE=MinSizeRel"],
             {(" -Os",)}),
            ("add_compile_options(-O2)\nfind_package(singa CONFIG REQUIRED)", [], {(" -O2",)})):
        one.write("mine/CMakeLists.txt", PROJECT % found)
        case.equal(optimisations(one, one.path("mine"), *words), expected, f"{found} {words}")


def a_plugin_whose_containers_have_another_layout_is_refused(one):
    refused(one, small(one, "debug", HEAD, "-D_GLIBCXX_DEBUG"), 78,
            "was built for another singa: layout of containers (_GLIBCXX_DEBUG) is debug, here "
            "release")


def a_plugin_of_fast_math_leaves_the_arithmetic_of_others(one):
    """A library that was linked with -ffast-math has the processor treat tiny numbers as 0."""
    fast = small(one, "fast", HEAD, "-ffast-math")
    probe = small(one, "probe", HEAD + """
#include <cstdio>
struct Probe {
  volatile float least = 1e-38f;
  Probe() { std::printf("%s\\n", least / 16 > 0 ? "exact" : "flushed"); }
} probe;
""")
    one.write("job.conf", f'name: "x"\nplugin: "{fast}"\nplugin: "{probe}"\n')
    case.equal(one.run("check", "job.conf", code=78).out, "exact\n", "a tiny number, divided")


CHECKS = [projects_are_compiled_optimised_unless_they_say_how,
          a_plugin_whose_containers_have_another_layout_is_refused,
          a_plugin_of_fast_math_leaves_the_arithmetic_of_others]
