"""Runs of a study: parameters, and the summary of each run, as one table."""

import csv
import math
import re
from pathlib import Path

from .errors import CaromError, needs


def _lines(path):
    """Fields of the lines of a CSV file; comments and empty lines are left out, as `--params` does."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise CaromError(f"cannot read `{path}`: {error}") from error
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    if not lines:
        raise CaromError(f"`{path}` is empty")
    separator = next((c for c in ";\t" if c in lines[0]), ",")
    return [[field.strip() for field in row]
            for row in csv.reader(lines, delimiter=separator, skipinitialspace=True)]


def _value(text):
    """A number where the text is one; not a number where it is empty."""
    try:
        return float(text) if text else math.nan
    except ValueError:
        return text


def parameters(path):
    """The rows of a file for `carom run --params`: a dictionary for each, in the order of `--row` from 1."""
    keys, *rows = _lines(path)
    return [{key: _value(text) for key, text in zip(keys, row) if text} for row in rows]


def summary(path):
    """The figures of `carom-post table --what summary --csv`, or of a folder of `carom run`: names and values.

    A figure that a run does not have is not a number.
    """
    return {name: _value(value) for name, value, _ in _summary(path)}


def _summary(path):
    """Names, values and units."""
    path = Path(path)
    path = path / "tables" / "summary.csv" if path.is_dir() else path
    head, *rows = _lines(path)
    if head != ["name", "value", "unit"]:
        raise CaromError(f"`{path}` is not a summary: its columns are {', '.join(head)}")
    return rows


def read_table(path):
    """A table of `carom-post table --csv` or `write_table` as a pandas frame; `attrs["units"]` has the units."""
    pandas = needs("pandas", "a table")
    head, *rows = _lines(path)
    parts = [re.fullmatch(r"(.*?)(?: \[(.*)\])?", name).groups(default="") for name in head]
    table = pandas.DataFrame([[_value(text) for text in row] for row in rows], columns=[name for name, _ in parts])
    table.attrs["units"] = dict(parts)
    return table


def write_table(table, path):
    """Writes a table with the units of its columns, as `carom-post table --csv` does; `read_table` reads it."""
    units = table.attrs.get("units", {})
    heads = [f"{name} [{units[name]}]" if units.get(name) else name for name in table]
    table.to_csv(path, index=False, header=heads)


def gather(params, folders):
    """One row for each row of parameters, with its number, its parameters and the figures of its summary.

    `attrs["units"]` has the units of the figures.

    * `params`: file of `carom run --params`
    * `folders`: a folder of `carom run`, or a summary as CSV, for each row
    """
    pandas = needs("pandas", "a table")
    given = parameters(params)
    folders = list(folders)
    if len(folders) != len(given):
        raise CaromError(f"`{params}` has {len(given)} rows, and there are {len(folders)} runs")
    rows = [{"row": n, **row, **summary(folder)} for n, (row, folder) in enumerate(zip(given, folders), 1)]
    table = pandas.DataFrame(rows)
    table.attrs["units"] = {name: unit for folder in folders for name, _, unit in _summary(folder)}
    return table
