"""The error of this package, and optional packages."""

import importlib


class CaromError(Exception):
    """A file that cannot be read, or that lacks what was asked for; the text has the file and a way out."""


def needs(module, purpose):
    """Imports an optional package."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise CaromError(f"{purpose} needs {module}: pip install {module}") from error
