#!/usr/bin/env python3
"""A figure of the runs of a study over a parameter, with a fitted power law where one is expected."""

import argparse
import sys

import carom
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np


def power_law(x, y):
    """Exponent and factor of y = factor x^exponent, least squares of the logarithms."""
    exponent, log_factor = np.polyfit(np.log(x), np.log(y), 1)
    return exponent, np.exp(log_factor)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", help="CSV file of collect.py")
    parser.add_argument("--x", required=True, help="column of the parameter; its magnitude is drawn")
    parser.add_argument("--y", required=True, help="column of the figure")
    parser.add_argument("--power", type=float, help="exponent that is expected: both axes are logarithmic")
    parser.add_argument("-o", "--output", required=True, help="picture (PNG, SVG, PDF)")
    args = parser.parse_args()
    try:
        table = carom.read_table(args.table)
    except carom.CaromError as error:
        sys.exit(f"error: {error}")
    missing = [column for column in (args.x, args.y) if column not in table]
    if missing:
        sys.exit(f"error: `{args.table}` has no column {', '.join(missing)}; it has {', '.join(table)}")
    runs = table[[args.x, args.y]].dropna()
    label = args.x if (runs[args.x] >= 0).all() else f"|{args.x}|"
    runs = runs.abs().sort_values(args.x)
    x, y = runs[args.x].to_numpy(), runs[args.y].to_numpy()
    if len(runs) < 2:
        sys.exit(f"error: `{args.table}` has {len(runs)} runs with {args.x} and {args.y}; a plot needs two")
    figure, axes = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
    unit = table.attrs["units"].get(args.y)
    axes.set(xlabel=label, ylabel=f"{args.y} [{unit}]" if unit else args.y)
    # A study over a decade or more has a logarithmic axis.
    if x.min() > 0 and (args.power or x.max() / x.min() >= 10):
        axes.set_xscale("log")
        axes.set_xticks(x, [f"{value:g}" for value in x])
        axes.minorticks_off()
    error = f"{args.y.split('.')[0]}_error.{args.y.split('.', 1)[-1]}"
    bars = table.loc[runs.index, error].to_numpy() if error in table else None
    # Errors are relative, that of the restitution is absolute.
    size = bars if bars is None or args.y.startswith("restitution") else bars * y
    if args.power:
        exponent, factor = power_law(x, y)
        axes.set_yscale("log")
        label = f"fit: power {exponent:.4f}, expected {args.power:.4g}"
        axes.plot(x, factor * x**exponent, "-", color="0.6", label=label)
        print(f"power {exponent:.4f}, expected {args.power:.4g}")
    axes.errorbar(x, y, yerr=size, fmt="o", capsize=3, label="runs, with their error estimates")
    axes.legend()
    axes.grid(True, which="both", alpha=0.3)
    figure.savefig(args.output, dpi=120)


if __name__ == "__main__":
    main()
