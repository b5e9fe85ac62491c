"""CPU seconds and loss of energy of CalculiX's implicit steps on the two bars of meshes/two-bars/conserving.toml.

    python3 crates/continuum/benches/two_bars_in_calculix.py --step 0.009
    time carom-solve meshes/two-bars/conserving.toml --set simulation.persistency=true -o out/two-bars.carom

Two bars of 50 hexahedra each (50 m, 100 Pa, nu 0, 0.01 kg/m3), the first with 1 m/s, 10 mm apart, until 1.5 s: *DYNAMIC of fixed
length with NLGEOM, contact of surfaces by a penalty. One thread. The loss is that at the end, after the bars have parted.
Prints one JSON object. Needs `ccx` (Debian: calculix-ccx).
"""

import argparse
import json
import os
import re
import resource
import subprocess
import tempfile

CELLS, GAP, SPEED, END = 50, 0.01, 1.0, 1.5


def deck(path, step, alpha, stiffness):
    """Writes the input: points of bar b, section i and corner c have the number 4 (b (CELLS + 1) + i) + c + 1."""
    corners = [(0, 0), (1, 0), (1, 1), (0, 1)]
    point = lambda bar, section, corner: 4 * (bar * (CELLS + 1) + section) + corner + 1
    with open(path, "w") as out:
        out.write("*NODE,NSET=ALL\n")
        for bar in range(2):
            for section in range(CELLS + 1):
                for corner, (y, z) in enumerate(corners):
                    x = section + bar * (CELLS + GAP)
                    out.write(f"{point(bar, section, corner)},{x:.9g},{y},{z}\n")
        for bar, name in enumerate(["LEFT", "RIGHT"]):
            out.write(f"*ELEMENT,TYPE=C3D8,ELSET={name}\n")
            for cell in range(CELLS):
                nodes = [point(bar, cell + end, corner) for end in range(2) for corner in range(4)]
                out.write(f"{bar * CELLS + cell + 1}," + ",".join(map(str, nodes)) + "\n")
            first, last = point(bar, 0, 0), point(bar, CELLS, 3)
            out.write(f"*NSET,NSET={name},GENERATE\n{first},{last}\n")
        # The faces of sections are the first two of a cell.
        out.write(f"*ELSET,ELSET=BOTH\nLEFT,RIGHT\n*SURFACE,NAME=END\n{CELLS},S2\n*SURFACE,NAME=FRONT\n{CELLS + 1},S1\n")
        out.write("*MATERIAL,NAME=SOFT\n*ELASTIC\n100.,0.\n*DENSITY\n0.01\n*SOLID SECTION,ELSET=BOTH,MATERIAL=SOFT\n")
        out.write("*SURFACE INTERACTION,NAME=TOUCH\n*SURFACE BEHAVIOR,PRESSURE-OVERCLOSURE=LINEAR\n")
        out.write(f"{stiffness:g},0.,0.001\n*CONTACT PAIR,INTERACTION=TOUCH,TYPE=SURFACE TO SURFACE\nEND,FRONT\n")
        out.write(f"*BOUNDARY\nALL,2,3\n*INITIAL CONDITIONS,TYPE=VELOCITY\nLEFT,1,{SPEED}\n")
        out.write(f"*STEP,NLGEOM,INC=100000\n*DYNAMIC,DIRECT,ALPHA={alpha}\n{step:.9g},{END}\n")
        out.write("*EL PRINT,ELSET=BOTH,TOTALS=ONLY\nELSE,ELKE\n*END STEP\n")


def energies(text):
    """Totals of the internal and kinetic energy of each step."""
    found = {}
    for kind in ["internal", "kinetic"]:
        totals = re.findall(rf"total {kind} energy for set BOTH and time[^\n]*\n\s*\n\s*(\S+)", text)
        found[kind] = [float(total) for total in totals]
    return [internal + kinetic for internal, kinetic in zip(found["internal"], found["kinetic"])]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--step", type=float, default=0.009, help="length of a step [s]")
    parser.add_argument("--alpha", type=float, default=-0.05, help="of the Hilber-Hughes-Taylor method")
    parser.add_argument("--stiffness", type=float, default=5e3, help="of the penalty [Pa/m]")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        deck(os.path.join(folder, "bars.inp"), args.step, args.alpha, args.stiffness)
        threads = dict(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", CCX_NPROC_RESULTS="1")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run = subprocess.run(["ccx", "-i", "bars"], cwd=folder, env=dict(os.environ, **threads), capture_output=True, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if run.returncode != 0 or "*ERROR" in run.stdout:
            raise SystemExit("\n".join(run.stdout.splitlines()[-20:]))
        with open(os.path.join(folder, "bars.dat")) as file:
            total = energies(file.read())
    mass = 0.01 * CELLS
    start = 0.5 * mass * SPEED**2
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(json.dumps({"step": args.step, "steps": len(total), "cpu": round(cpu, 3), "loss": 1 - total[-1] / start}))


main()
