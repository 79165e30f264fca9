"""Shares parts among checks of plugins: builds against the installed tree, jobs with plugins."""
import os
import subprocess
import sys

HEAD = '#include "singa/driver/plugin.h"\n#include "singa/nn/layer.h"\nSINGA_PLUGIN();\n'
LAYER = """
class Mine : public singa::Layer {
  void Setup(const singa::LayerProto&, singa::Declare&, singa::Inputs, singa::Outputs) override {}
  void ComputeFeature(singa::Context&, singa::Phase, singa::Inputs, singa::Outputs) override {}
};
"""


def build(*words, cwd=None, env=None):
    done = subprocess.run(list(map(str, words)), cwd=cwd, env=env, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}\n{done.stdout}{done.stderr}")


def pkg_config(one):
    """Returns an environment in which only pkg-config finds the installed tree."""
    env = dict(os.environ, PKG_CONFIG_PATH=str(one.site.prefix / "lib/pkgconfig"))
    env.pop("LD_LIBRARY_PATH", None)
    return env


def compiled(one, name, source, *flags):
    """Compiles `name` from one source file, as pkg-config says."""
    one.write(f"{name}.cc", source)
    words = ["g++", "-std=c++20", *flags, f"{name}.cc", "-o", name]
    build("sh", "-c", " ".join(words) + " $(pkg-config --cflags --libs singa)", cwd=one.folder,
          env=pkg_config(one))
    return name


def small(one, name, source, *flags):
    """Builds a library from one source file."""
    return compiled(one, f"{name}.so", source, "-shared", "-fPIC", *flags)


def refused(one, plugin, code, *parts):
    # The path is that of the job's file, whose line the message shows.
    return refused_by(one, [one.site.binary], plugin, code, *parts)


def refused_by(one, command, plugin, code, *parts):
    one.write("job.conf", f'name: "x"\nplugin: "{plugin}"\n')
    return expect(one.start_program([*map(str, command), "check", "job.conf"]), plugin, code,
                  *parts)


def expect(job, plugin, code, *parts):
    err = job.end(code).err
    for part in parts:
        if part not in err:
            raise AssertionError(f"stderr for {plugin}: no {part!r} in:\n{err}")
    return err
