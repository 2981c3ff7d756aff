# SPDX-License-Identifier: Apache-2.0
"""Runs in every Python process below `bohr run`, because this folder stands first on PYTHONPATH;
for the same reason `import bohr` works there.

Starts the shim, then the sitecustomize that this one shadows. Nothing here may break the program.
"""

import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))


def _start_shim():
    try:
        import importlib.util

        path = os.path.join(_HERE, "bohr", "_shim.py")
        spec = importlib.util.spec_from_file_location("_bohr_shim", path)
        module = importlib.util.module_from_spec(spec)
        sys.modules["_bohr_shim"] = module
        spec.loader.exec_module(module)
        module.start()
    except Exception:
        pass  # the recording then has no allocator events, which the check reports


def _run_shadowed():
    """The distribution's or the user's own sitecustomize, the next one on the path. Only
    behind this folder: another copy of Bohr may stand there, which looks further in its turn."""
    own = [at for at, folder in enumerate(sys.path) if os.path.abspath(folder) == _HERE]
    for folder in sys.path[max(own, default=-1) + 1 :]:
        path = os.path.join(folder, "sitecustomize.py")
        if not os.path.isfile(path):
            continue
        with open(path, encoding="utf-8") as file:
            source = file.read()
        globals()["__file__"] = path
        exec(compile(source, path, "exec"), globals())
        return


_armed = os.environ.get("BOHR_AGENT") and os.environ.get("BOHR_DIR")
if _armed and "_bohr_shim" not in sys.modules:
    _start_shim()
_run_shadowed()
