#!/usr/bin/env python3
"""An evaluation of Dakota as a run of carom: parameters file in, results file out.

Dakota's fork interface calls it with its two files as the last words; both layouts of the parameters file are
read, the standard one and that of APREPRO. A descriptor of a variable is a key of the scenario, or a name that
--key gives to one or more keys; a descriptor of a response is a figure of the summary of a run, or a name that
--figure gives to it. Gradients are left to Dakota (numerical_gradients).

A run that does not converge, or whose figure does not exist, is reported to Dakota as a failed evaluation. After
any other error there is no results file, and Dakota stops.
"""

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

import carom

#: Exit code of carom: not converged.
NOT_CONVERGED = 4


class DriverError(Exception):
    """A file of Dakota or a flag that cannot be used."""


class FailedEvaluation(Exception):
    """An evaluation without figures, which Dakota may replace or leave out."""


#: A line `VALUE TAG` of the standard layout, and `{ TAG = VALUE }` of APREPRO.
STANDARD = re.compile(r"\s*(\S+)\s+(\S+)\s*$")
APREPRO = re.compile(r"\s*\{\s*(\S+)\s*=\s*(.*?)\s*\}\s*$")

#: Heads of the lists in both layouts.
LISTS = {
    "variables": "variables", "DAKOTA_VARS": "variables",
    "functions": "functions", "DAKOTA_FNS": "functions",
    "derivative_variables": "derivatives", "DAKOTA_DER_VARS": "derivatives",
    "analysis_components": "components", "DAKOTA_AN_COMPS": "components",
    "metadata": "metadata", "DAKOTA_METADATA": "metadata",
}


def read_parameters(text):
    """Variables and requests of an evaluation: `{"variables": {...}, "functions": {...}, "eval_id": "7"}`."""
    lines = [line for line in text.splitlines() if line.strip()]
    pattern, order = (APREPRO, (2, 1)) if lines and "{" in lines[0] else (STANDARD, (1, 2))
    found, inside, left = {"variables": {}, "functions": {}, "eval_id": "1"}, None, 0
    for number, line in enumerate(lines, 1):
        match = pattern.match(line)
        if not match:
            raise DriverError(f"line {number} is not one of a parameters file of Dakota: {line.strip()}")
        value, tag = (match.group(k) for k in order)
        if left > 0:
            left -= 1
            if inside == "functions":
                tag = tag.split(":", 1)[-1]
            found.setdefault(inside, {})[tag] = value.strip('"')
        elif tag in LISTS:
            inside, left = LISTS[tag], int(value)
        elif tag in ("eval_id", "DAKOTA_EVAL_ID"):
            found["eval_id"] = value.strip('"').replace(":", "-")
        else:
            raise DriverError(f"line {number}: `{tag}` is not known in a parameters file of Dakota")
    if left > 0 or not found["variables"] or not found["functions"]:
        raise DriverError("the parameters file is cut: its lists are shorter than they say")
    return found


def changes(variables, keys):
    """Keys of the scenario and their values: each `--key NAME=KEY[*FACTOR]` of a variable, or its own name."""
    rows = {}
    for name, value in variables.items():
        own = [key for named, key in keys if named == name] or [name]
        for key in own:
            key, _, factor = key.partition("*")
            if factor:
                rows[key] = repr(float(value) * float(factor))
            else:
                # Words stay words; numbers of Dakota are those of TOML.
                rows[key] = value
    unused = sorted({named for named, _ in keys} - set(variables))
    if unused:
        raise DriverError(f"--key {unused[0]}: Dakota has no such variable; it has {', '.join(variables)}")
    return rows


def figures(summary, functions, names):
    """Values of the responses that are asked for, in the order of Dakota."""
    values = []
    for name, request in functions.items():
        if int(request) & ~1:
            raise DriverError(
                f"Dakota asks for a derivative of `{name}`, which carom does not have: write "
                "numerical_gradients or no_gradients, and no_hessians, in the responses")
        if not int(request) & 1:
            continue
        figure = names.get(name, name)
        if figure not in summary:
            known = ", ".join(key for key in summary if key.split(".")[0] == figure.split(".")[0]) or ", ".join(summary)
            raise DriverError(f"the summary has no figure `{figure}`; it has {known}")
        if not isinstance(summary[figure], float) or summary[figure] != summary[figure]:
            raise FailedEvaluation(f"the run has no value of `{figure}`")
        values.append((summary[figure], name))
    return values


def write(path, text):
    """Writes a file that appears when it is complete."""
    part = f"{path}.part"
    Path(part).write_text(text)
    os.replace(part, path)


def pair(text):
    name, sign, rest = text.partition("=")
    if not (name and sign and rest):
        raise argparse.ArgumentTypeError(f"`{text}` does not have the form NAME=TEXT")
    return name, rest


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--scenario", required=True, help="scenario of carom")
    parser.add_argument("--key", type=pair, action="append", default=[], metavar="NAME=KEY[*FACTOR]",
                        help="a variable of Dakota sets this key of the scenario; may be repeated for a variable")
    parser.add_argument("--figure", type=pair, action="append", default=[], metavar="NAME=FIGURE",
                        help="a response of Dakota is this figure of the summary")
    parser.add_argument("--out", default="runs", help="folder of the runs and of their bodies [default: runs]")
    parser.add_argument("--carom", default=os.environ.get("CAROM", "carom"), help="the program [default: carom]")
    parser.add_argument("--threads", default="1", help="threads of a run [default: 1]")
    parser.add_argument("parameters", help="parameters file of Dakota")
    parser.add_argument("results", help="results file of Dakota")
    args = parser.parse_args()
    try:
        asked = read_parameters(Path(args.parameters).read_text())
        rows = changes(asked["variables"], args.key)
        folder = Path(args.out) / asked["eval_id"]
        folder.parent.mkdir(parents=True, exist_ok=True)
        file = folder.with_suffix(".params.csv")
        # CSV doubles a quote within quotes.
        fields = ["\"" + value.replace("\"", "\"\"") + "\"" for value in rows.values()]
        write(file, ",".join(rows) + "\n" + ",".join(fields) + "\n")
        command = [
            args.carom, "run", args.scenario, "--params", str(file), "--bodies", str(Path(args.out) / "bodies"),
            "-o", str(folder), "-j", args.threads, "--every", "1000000", "-q",
        ]
        try:
            code = subprocess.run(command, stdout=subprocess.DEVNULL).returncode
        except FileNotFoundError as missing:
            raise DriverError(f"the program `{args.carom}` is not found: add its folder to PATH, or name it by "
                              "--carom or the variable CAROM") from missing
        if code == NOT_CONVERGED:
            raise FailedEvaluation("the run did not converge")
        if code != 0:
            raise DriverError(f"`{' '.join(command)}` ended with exit code {code}")
        values = figures(carom.summary(folder), asked["functions"], dict(args.figure))
        write(args.results, "".join(f"{value!r} {name}\n" for value, name in values))
    except FailedEvaluation as failed:
        print(f"carom: evaluation {asked['eval_id']} failed: {failed}", file=sys.stderr)
        write(args.results, "fail\n")
    except (DriverError, carom.CaromError, OSError) as error:
        sys.exit(f"error: {args.parameters}: {error}")


if __name__ == "__main__":
    main()
