"""Checks plugins that end, hang, leave processes behind, or register existing names."""
import os
import pathlib
import shutil
import time

import case
from plugin_case import HEAD, LAYER, build, compiled, expect, pkg_config, refused, refused_by, small

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples/custom_layer"

# The plugin does the action FAULT when it is loaded. `started` gets the id of a process that it
# leaves.
FAULTY = """
#include <fcntl.h>
#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <string>
#include "singa/driver/plugin.h"
SINGA_PLUGIN();
void Leave() {
  const int file = open("started", O_WRONLY | O_CREAT | O_EXCL, 0600);
  if (file < 0) return;
  const int child = fork();
  if (child == 0) sleep(60), _exit(0);
  dprintf(file, "%d", child);
}
struct Fault {
  Fault() {
    const std::string fault = std::getenv("FAULT");
    if (fault == "exit") std::exit(0);
    if (fault == "crash") *(volatile int*)0 = 1;
    if (fault == "abort") std::fputs("no licence\\nfor it\\n", stderr), std::abort();
    if (fault == "print") std::puts("hello");
    if (fault == "leave" || fault == "hang") Leave();
    while (fault == "hang") pause();
  }
} fault;
"""


def lives(number):
    try:
        return pathlib.Path(f"/proc/{number}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def a_plugin_that_ends_or_hangs_is_refused_in_time(one):
    faulty = small(one, "faulty", FAULTY)

    def with_fault(fault):
        return ["env", f"FAULT={fault}", one.site.binary]

    one.write("hang/job.conf", f'plugin: "{one.path(faulty)}"\n')
    hangs = one.start_program(["sh", "-c", "cd hang && FAULT=hang exec \"$0\" check job.conf",
                               str(one.site.binary)])
    ends = 'plugin[0]: "./faulty.so" ends the process while it is loaded'
    refused_by(one, with_fault("exit"), "./faulty.so", 78, ends)
    refused_by(one, with_fault("abort"), "./faulty.so", 78, ends + ": no licence\n")
    # A parent may have singa ignore SIGCHLD. Then the end of a process remains unknown.
    deaf = ["env", "--ignore-signal=CHLD", *with_fault("crash")]
    refused_by(one, deaf, "./faulty.so", 78, ends)

    start = time.monotonic()
    err = refused_by(one, with_fault("leave"), "./faulty.so", 78)
    case.true("plugin" not in err, f"a plugin that starts a process is refused:\n{err}")
    case.true(time.monotonic() - start < 50, "waited for a process that the plugin started")
    case.true(not lives(one.path("started").read_text()), "the trial leaves a process behind")

    job = one.start_program([*map(str, with_fault("print")), "check", "job.conf"]).end(78)
    case.equal(job.out, "hello\n", "stdout, of the one load that is no trial")
    expect(hangs, faulty, 78, "is not loaded after 20 s")
    case.true(not lives(one.path("hang/started").read_text()), "a process of a plugin that hangs")


def a_plugin_that_no_process_can_try_is_no_mistake_of_the_conf(one):
    few = ["prlimit", "--nofile=5:5", one.site.binary]
    refused_by(one, few, one.site.built / "gate.so", 73,
               "cannot be tried: cannot start a process for it: Too many open files")


def each_error_of_plugins_stands_at_its_line(one):
    one.write("job.conf", f'name: "x"\nplugin: "{one.site.built}/gate.so"\nplugin: "gone.so"\n'
                          'plugin: "lost.so"\n')
    err = one.run("check", "job.conf", "-plugin", "away.so", code=66).err
    for part in ('job.conf:3:1: error: plugin[1]: "gone.so" cannot open',
                 'job.conf:4:1: error: plugin[2]: "lost.so" cannot open',
                 '-set plugin: error: plugin[3]: "away.so" cannot open'):
        case.has(err, part, "stderr")
    case.equal(err.count(": error: "), 3, f"errors in\n{err}")


def a_mistake_before_plugins_does_not_hide_them(one):
    text = (EXAMPLE / "job.conf").read_text().replace("kReLU", "kReLUU")
    text = text.replace('plugin: "build-custom_layer/gate.so"\n', "")
    one.write("job.conf", text + f'plugin: "{one.site.built}/gate.so"\nplugin: "gone.so"\n')
    err = one.run("check", "job.conf", code=78).err
    case.has(err, "neuralnet.layer[relu1].type: ", "stderr")
    case.has(err, 'plugin[1]: "gone.so" cannot open', "stderr")
    case.equal(err.count(": error: "), 2, f"errors in\n{err}")


def names_that_are_taken_are_errors(one):
    updater = small(one, "updater", HEAD + """#include "singa/train/updater.h"
class Mine : public singa::Updater {
  void Update(singa::Context&, const singa::UpdateStep&, float*, const float*,
              std::span<float* const>, int64_t) override {}
};
SINGA_REGISTER_UPDATER(kSGD, Mine);
""")
    layer = small(one, "layer", HEAD + LAYER + "SINGA_REGISTER_LAYER(Mine, Mine);\n" * 2)
    one.write("job.conf", f'plugin: "./{updater}"\nplugin: "./{layer}"\n')
    err = one.run("check", "job.conf", code=78).err
    for line, file, what in ((1, "updater", 'updater "kSGD"'), (2, "layer", 'layer "Mine"')):
        case.has(err, f'job.conf:{line}:1: error: plugin[{line - 1}]: "./{file}.so" registers '
                      f"names that are registered already: {what} (in ", "stderr")
        case.has(err, f", and again in {file}.so.cc)\n", "stderr")

    # The plugin stays loaded, and is refused again; the program's own names are another error.
    program = compiled(one, "program", """#include <cstdio>
#include "singa/driver/driver.h"
#include "singa/nn/layer.h"
""" + LAYER + """
SINGA_REGISTER_LAYER(Mine, Mine);
SINGA_REGISTER_LAYER(Mine, Mine);
int main(int argc, char** argv) {
  singa::Driver driver;
  if (argc > 2) return driver.Main(argc, argv);
  singa::JobProto with, without;
  with.add_plugin(argv[1]);
  for (const singa::JobProto& job : {with, with, without}) try {
    driver.Train(job);
  } catch (const singa::ConfigError& error) {
    std::printf("%d %s\\n", error.code(), error.what());
  }
}
""")
    lines = one.start_program([str(one.path(program)), f"./{updater}"]).end(0).out.splitlines()
    case.has(lines[0], f'78 plugin[0]: "./{updater}" registers names that are registered already: ', "Train")
    case.equal(lines[1], lines[0], "error of the second Train")
    case.has(lines[2], '78 this program registers twice: layer "Mine" (in ', "Train")
    case.has(lines[2], ", and again in program.cc)", "Train")
    case.true("kSGD" not in lines[2], "a refused plugin's name counts as the program's")
    job = one.start_program([str(one.path(program)), "check", EXAMPLE / "job.conf", "-set",
                             "plugin="]).end(78)
    one.write("job.conf", (ROOT / "examples/digits/job.conf").read_text())
    job = one.start_program([str(one.path(program)), "check", "job.conf"]).end(78)
    case.has(job.err, 'error: this program registers twice: layer "Mine" (in ', "stderr")


def all_folders_of_its_path_are_judged(one):
    gate = one.site.built / "gate.so"
    one.path("open/sub").mkdir(parents=True)
    shutil.copy(gate, one.path("open/sub/gate.so"))
    one.path("safe").mkdir()
    shutil.copy(gate, one.path("safe/gate.so"))
    one.path("open/link.so").symlink_to("../safe/gate.so")
    one.path("link").symlink_to("open")
    one.path("safe/gate-link.so").symlink_to(one.path("safe/gate.so"))
    os.chmod(one.path("open"), 0o777)
    inside = f'lies in "{one.path("open")}", where anybody may put another in its place'
    for path in ("open/sub/gate.so", "open/link.so", "link/sub/gate.so",
                 "safe/../open/sub/gate.so", one.path("open/sub/gate.so")):
        refused(one, path, 77, inside)
    for mode, path in ((0o777, "safe/gate-link.so"), (0o1777, "open/sub/gate.so"),
                       (0o1777, "open/link.so"), (0o1777, "link/sub/gate.so")):
        os.chmod(one.path("open"), mode)
        case.true("plugin" not in refused(one, path, 78), f"{path} is refused")
    if os.geteuid() == 0:  # only root can give a folder away
        os.chown(one.path("open/sub"), 12345, -1)
        refused(one, "open/sub/gate.so", 77,
                f'"{one.path("open/sub")}" belongs to another user, number 12345')


def plugins_are_options_in_order_whatever_their_name(one):
    shutil.copy(one.site.built / "gate.so", one.path("a,b\\c.so"))
    one.write("job.conf", (EXAMPLE / "job.conf").read_text())
    one.run("data", "digits", "examples/digits/data")
    one.run("check", "job.conf", "-set", "plugin=", "-plugin", "a,b\\c.so")
    one.run("check", "job.conf", "-set", "plugin=a\\,b\\\\c.so")
    for command in (["predict", "-conf", "job.conf", "job.conf"], ["check", "job.conf"]):
        for order, named in ((["-plugin", "y.so", "-set", "plugin=x.so"], ["x.so"]),
                             (["-set", "plugin=x.so", "-plugin", "y.so"], ["x.so", "y.so"])):
            err = one.run(command[0], *order, *command[1:], code=78).err
            case.equal([name for name in ("x.so", "y.so") if f'"{name}" cannot open' in err],
                       named, f"plugins that {command[0]} {order} looks for")


def a_program_is_built_as_the_example_says(one):
    """The build uses the two commands of its README that need no CMake, as they stand there."""
    commands = [line.strip() for line in (EXAMPLE / "README.md").read_text().splitlines()
                if line.startswith("    ") and "pkg-config --" in line]
    case.equal([command.split()[0] for command in commands], ["protoc", "g++"], "commands")
    for name in ("main.cc", "gate_layer.cc", "sign_updater.cc", "gate.proto"):
        shutil.copy(EXAMPLE / name, one.path(name))
    for command in commands:
        build("sh", "-c", command, cwd=one.folder, env=pkg_config(one))
    one.run("data", "digits", "examples/digits/data")
    one.start_program(["env", "-u", "LD_LIBRARY_PATH", str(one.path("trainer")), "check",
                       str(EXAMPLE / "job.conf"), "-set", "plugin="]).end(0)


CHECKS = [a_plugin_that_ends_or_hangs_is_refused_in_time,
          a_plugin_that_no_process_can_try_is_no_mistake_of_the_conf,
          each_error_of_plugins_stands_at_its_line,
          a_mistake_before_plugins_does_not_hide_them, names_that_are_taken_are_errors,
          all_folders_of_its_path_are_judged, plugins_are_options_in_order_whatever_their_name,
          a_program_is_built_as_the_example_says]
