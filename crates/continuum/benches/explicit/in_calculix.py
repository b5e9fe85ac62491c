"""CPU seconds of an explicit step of CalculiX, beside `cargo bench -p carom-continuum --bench explicit -- calculix N`.

    python3 crates/continuum/benches/explicit/in_calculix.py 24 --element C3D8 --steps 20

The body is the one of the benchmark: a steel cube of edge 1 m of N³ hexahedra, large deformation (NLGEOM), which is the law of St.
Venant and Kirchhoff, free, with a velocity. Two runs, of `--steps` and of three times as many steps; their difference is free of
reading and set-up. One thread. Prints one JSON object. Needs `ccx` (Debian: calculix-ccx).
"""

import argparse
import json
import os
import resource
import subprocess
import tempfile

YOUNG, POISSON, DENSITY = 210e9, 0.3, 7850.0


def deck(path, n, element, dt, steps):
    """Writes the input of a run of so many steps of length dt [s]."""
    number = lambda i, j, k: 1 + i + (n + 1) * (j + (n + 1) * k)
    with open(path, "w") as out:
        out.write("*NODE,NSET=ALL\n")
        for k in range(n + 1):
            for j in range(n + 1):
                for i in range(n + 1):
                    out.write(f"{number(i, j, k)},{i / n:.12g},{j / n:.12g},{k / n:.12g}\n")
        out.write(f"*ELEMENT,TYPE={element},ELSET=CUBE\n")
        corners = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
        cells = [(i, j, k) for k in range(n) for j in range(n) for i in range(n)]
        for cell, (i, j, k) in enumerate(cells, 1):
            nodes = (number(i + a, j + b, k + c) for a, b, c in corners)
            out.write(f"{cell}," + ",".join(map(str, nodes)) + "\n")
        out.write(f"*MATERIAL,NAME=STEEL\n*ELASTIC\n{YOUNG},{POISSON}\n*DENSITY\n{DENSITY}\n")
        out.write("*SOLID SECTION,ELSET=CUBE,MATERIAL=STEEL\n")
        out.write("*INITIAL CONDITIONS,TYPE=VELOCITY\nALL,1,1.\n")
        out.write(f"*STEP,NLGEOM,INC={10 * steps}\n*DYNAMIC,EXPLICIT\n{dt:.9g},{steps * dt:.9g},{dt:.9g},{dt:.9g}\n")
        out.write("*NODE PRINT,NSET=ALL,FREQUENCY=1000000,TOTALS=ONLY\nRF\n*END STEP\n")


def seconds(n, element, dt, steps):
    """CPU seconds of a run."""
    with tempfile.TemporaryDirectory() as folder:
        deck(os.path.join(folder, "cube.inp"), n, element, dt, steps)
        threads = dict(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", CCX_NPROC_RESULTS="1")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run = subprocess.run(["ccx", "-i", "cube"], cwd=folder, env=dict(os.environ, **threads), capture_output=True, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        selected = f"SELECTED time increment:{dt:.6e}".lower()
        if run.returncode != 0 or "ERROR" in run.stdout or selected not in run.stdout.lower():
            raise SystemExit("\n".join(run.stdout.splitlines()[-20:]))
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return cpu


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("n", type=int, help="elements along an edge")
    parser.add_argument("--element", default="C3D8", choices=["C3D8", "C3D8R", "C3D8I"])
    parser.add_argument("--steps", type=int, default=20)
    args = parser.parse_args()
    # Well below the critical step, the time of a wave through a cell.
    speed = (YOUNG * (1 - POISSON) / ((1 + POISSON) * (1 - 2 * POISSON)) / DENSITY) ** 0.5
    dt = 0.3 / args.n / speed
    first, second = (seconds(args.n, args.element, dt, k * args.steps) for k in (1, 3))
    steps = 2 * args.steps
    step = (second - first) / steps
    print(json.dumps({
        "element": args.element, "elements": args.n**3, "steps": steps, "cpu_of_step": step,
        "us_of_step_and_element": 1e6 * step / args.n**3,
    }))


main()
