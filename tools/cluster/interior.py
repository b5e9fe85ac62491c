#!/usr/bin/env python3
"""Constraint modes and fixed-interface modes of a large body, on any number of MPI ranks.

    carom-reduce export body.npz --format petsc -o body --interface left --attach right=mean --modes 30
    mpirun -n 16 python3 tools/cluster/interior.py body
    carom-reduce craig-bampton body.npz --interface left --attach right=mean --modes 30 \\
        --modes-from body.solutions.npz -o body.rom

Needs petsc4py, slepc4py and mpi4py. Exit codes: 0 done, 1 other failure, 2 usage, 3 invalid input, 4 did not
converge, 5 cannot write.
"""

import argparse
import math
import os
import sys
import time
import traceback

MISSING = """interior.py: error: cannot import {module}: {error}
PETSc and SLEPc with their Python packages are needed: `apt-get install python3-petsc4py python3-slepc4py \
python3-mpi4py` (Debian, Ubuntu; /usr/bin/python3), `conda install -c conda-forge petsc4py slepc4py`, or a \
module of the cluster."""

#: Requested modes without a choice, as of `carom-reduce craig-bampton`.
DEFAULT_MODES = 24

#: Smallest gap for the shift of the count, relative to its upper end.
SMALLEST_GAP = 1e-4


def arguments():
    parser = argparse.ArgumentParser(
        prog="interior.py", formatter_class=argparse.RawDescriptionHelpFormatter,
        description=__doc__.split("\n\n")[0], epilog=__doc__.split("\n\n", 1)[1])
    parser.add_argument("name", help="NAME of NAME.K.petsc, NAME.M.petsc and NAME.problem.npz")
    parser.add_argument("-o", "--output", metavar="FILE", help="the archive [default: NAME.solutions.npz]")
    parser.add_argument(
        "--solver", choices=["mumps", "cg"], default="mumps",
        help="mumps: a factor, distributed over the ranks; cg: conjugate gradients with algebraic multigrid "
             "(GAMG), less memory [default: mumps]")
    parser.add_argument("--modes", type=int, metavar="N", help="number of fixed-interface modes [default: as "
                                                               f"exported, or {DEFAULT_MODES}]")
    parser.add_argument("--tolerance", type=float, default=1e-10, metavar="T",
                        help="cg: relative residual of a solution [default: 1e-10]")
    parser.add_argument("--no-count", action="store_true",
                        help="mumps: leave out the inertia count; `carom-reduce` then counts or searches")
    parser.add_argument("--petsc", default="", metavar="OPTIONS",
                        help="further options of PETSc and SLEPc, such as \"-pc_gamg_threshold 0.01\"")
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress lines")
    return parser.parse_args()


def run(options):
    from mpi4py import MPI
    from petsc4py import PETSc

    from archive import Refused, Writer
    from modes import fixed_modes, gap_behind
    from problem import Problem
    from solver import Inverse, NotConverged, inertia_below

    started = time.monotonic()
    comm, mpi = PETSc.COMM_WORLD, MPI.COMM_WORLD

    def say(text):
        memory = peak_memory(mpi)
        if mpi.rank == 0 and not options.quiet:
            line = f"[{time.monotonic() - started:9.1f} s, {memory:8.0f} MB] {text}"
            print(line, file=sys.stderr, flush=True)

    def ended(code, text):
        if mpi.rank == 0:
            print(f"interior.py: error: {text}", file=sys.stderr, flush=True)
        mpi.Barrier()
        return code

    output = options.output or f"{options.name}.solutions.npz"
    folder = os.path.dirname(os.path.abspath(output))
    if not os.path.isdir(folder):
        return ended(5, f"there is no folder `{folder}` for `{output}`: make it first")
    try:
        problem = Problem(options.name, comm)
        arrays = problem.arrays
        up_to = float(arrays["option_up_to_hz"][0]) if len(arrays["option_up_to_hz"]) else None
        exported = int(arrays["option_modes"][0]) if len(arrays["option_modes"]) else DEFAULT_MODES
        count = options.modes if options.modes is not None else exported
        limit = (2 * math.pi * up_to) ** 2 if up_to and options.modes is None else None
        say(f"{3 * problem.n_nodes} dofs on {mpi.size} ranks, {problem.n_boundary} boundary dofs")

        # 1. Forces of the prescribed displacements; then the prescribed dofs are decoupled.
        motions = problem.motions()
        forces = problem.product(problem.stiffness, motions)
        forces *= -1.0
        inverse = Inverse(problem, options.solver, options.tolerance)
        say(f"stiffness inverted ({options.solver}): {inverse.described()}")

        # 2. Constraint modes.
        problem.clear(forces, problem.prescribed)
        constraint, residual = inverse.solve_refined(forces, problem.sums(), say)
        del forces
        constraint += motions
        del motions
        say(f"{problem.n_boundary} constraint modes, residual {residual:.1e}")

        # 3. Fixed-interface modes, some behind the requested ones.
        values, vectors, residual = fixed_modes(problem, inverse, count, limit, say)
        n = int((values <= limit).sum()) if limit is not None else count
        say(f"{len(values)} fixed-interface modes, {hertz(values[0]):.6e} to {hertz(values[-1]):.6e} Hz, "
            f"residual {residual:.1e}")

        # 4. An inertia count in the gap behind them.
        counted = None
        if options.solver == "mumps" and not options.no_count:
            inverse.destroy()
            below, shift = gap_behind(values, n, SMALLEST_GAP)
            found = inertia_below(problem, shift)
            say(f"inertia: {found} modes below {hertz(shift):.6e} Hz, {below} were computed")
            if found != below:
                return ended(4, f"{found} modes lie below {hertz(shift):.6e} Hz, but {below} were computed: "
                                "request more modes with --modes")
            counted = (shift, found)

        # 5. The archive.
        seconds, peak = time.monotonic() - started, peak_memory(mpi)
        program = (f"interior.py, {options.solver}, {mpi.size} ranks, "
                   f"PETSc {'.'.join(map(str, PETSc.Sys.getVersion()))}")
        columns = [("constraint_modes", constraint), ("fixed_modes", vectors)]
        if mpi.rank == 0:
            with Writer(output, "carom-interior-solutions", "1.0") as archive:
                archive.array("program", program)
                for name in ("name", "body_checksum", "option_attach", "option_fix", "option_quadrature"):
                    archive.array(name, arrays[name])
                archive.array("interface_node", arrays["node"][problem.interface])
                archive.array("fixed_lambda", values)
                if counted:
                    archive.array("count_shift", counted[0])
                    archive.array("count_below", counted[1])
                archive.array("seconds", seconds)
                archive.array("peak_memory_mb", peak)
                for name, field in columns:
                    archive.columns(name, 3 * problem.n_nodes, field.shape[1], problem.gathered(field))
        else:
            for _, field in columns:
                for _ in problem.gathered(field):
                    pass
        say(f"{output} written; peak memory of all ranks {peak:.0f} MB")
        return 0
    except Refused as error:
        return ended(3, error)
    except NotConverged as error:
        return ended(4, error)


def hertz(value):
    """Frequency of a squared circular frequency."""
    return math.sqrt(value) / (2 * math.pi)


def peak_memory(mpi):
    """Sum of the peak memory of all ranks [MB]."""
    import resource
    return mpi.allreduce(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) / 1e3


def main():
    options = arguments()
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    module = "petsc4py"
    try:
        import petsc4py
        petsc4py.init(["interior.py", *options.petsc.split()])
        module = "slepc4py"
        import slepc4py
        slepc4py.init(["interior.py", *options.petsc.split()])
        module = "mpi4py"
        from mpi4py import MPI
    except ImportError as error:
        print(MISSING.format(module=module, error=error), file=sys.stderr)
        return 1
    try:
        return run(options)
    except OSError as error:
        print(f"interior.py: error: {error}", file=sys.stderr, flush=True)
        MPI.COMM_WORLD.Abort(5)
    except Exception:  # One rank alone may fail: the others must not wait for it.
        traceback.print_exc()
        print("interior.py: error: a rank has failed; the lines above name the place", file=sys.stderr)
        MPI.COMM_WORLD.Abort(1)


if __name__ == "__main__":
    sys.exit(main())
