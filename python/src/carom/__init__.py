"""Files of carom in Python: bodies and models as NumPy arrays, results as arrays, tables and grids.

    import carom

    result = carom.open_result("out/coarse-balls/result.carom")
    print(result.contacts())            # pandas
    grid = result.grid("lower", 40)     # pyvista

Numbers are in SI units. Nothing here writes a file of carom or computes a result.
"""

from .archive import Archive, Body, Model, open_body, open_model
from .errors import CaromError
from .result import Frame, Result, open_result
from .study import gather, parameters, read_table, summary, write_table

__all__ = [
    "Archive", "Body", "CaromError", "Frame", "Model", "Result",
    "gather", "open_body", "open_model", "open_result", "parameters", "read_table", "summary", "write_table",
]
