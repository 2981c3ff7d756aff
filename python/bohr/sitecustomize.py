# SPDX-License-Identifier: Apache-2.0
"""Runs in every Python process below `bohr run`, because this folder stands first on PYTHONPATH.

Starts the shim, then the sitecustomize that this one shadows. Nothing here may break the program.
"""

import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))


def _start_shim():
    try:
        import importlib.util

        path = os.path.join(_HERE, "_shim.py")
        spec = importlib.util.spec_from_file_location("_bohr_shim", path)
        module = importlib.util.module_from_spec(spec)
        sys.modules["_bohr_shim"] = module
        spec.loader.exec_module(module)
        module.start()
    except Exception:
        pass  # the recording then has no allocator events, which the check reports


def _run_shadowed():
    """The distribution's or the user's own sitecustomize, the next one on the path."""
    for folder in sys.path:
        path = os.path.join(folder, "sitecustomize.py")
        if os.path.abspath(folder) == _HERE or not os.path.isfile(path):
            continue
        with open(path, encoding="utf-8") as file:
            source = file.read()
        globals()["__file__"] = path
        exec(compile(source, path, "exec"), globals())
        return


if os.environ.get("BOHR_AGENT") and os.environ.get("BOHR_DIR"):
    _start_shim()
_run_shadowed()
