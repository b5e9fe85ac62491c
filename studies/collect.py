#!/usr/bin/env python3
"""The table of a study: a row of parameters and the summary of its run in each line."""

import argparse
import sys

import carom


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("params", help="file of carom run --params")
    parser.add_argument("summaries", nargs="+", help="a summary, or a folder of carom run, for each row")
    parser.add_argument("-o", "--output", required=True, help="CSV file")
    args = parser.parse_args()
    try:
        carom.write_table(carom.gather(args.params, args.summaries), args.output)
    except carom.CaromError as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
