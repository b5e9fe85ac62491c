"""A reduced model of carom in Exudyn: the flexible double pendulum of this folder, run there and compared with carom's result.

    carom run meshes/double-pendulum/scenario.toml -o out/double-pendulum
    python meshes/double-pendulum/in_exudyn.py out/double-pendulum/bodies/upper.rom --modes 13 --step 1e-4 \
        --result out/double-pendulum/result.carom

Each model becomes an `ObjectFFRFreducedOrder`. It needs no finite elements: the constants that Exudyn computes from the mass
matrix of a mesh are arrays of the model. Exudyn's nodes are six points around each marker, which move and turn with it, so that
a rigid marker of Exudyn on these points is the marker of carom.

Prints one JSON object: steps, CPU seconds and steps per CPU second of the integration; with --result the largest distance of the
tip of the lower rod from carom's in the frames up to --until. Needs NumPy and Exudyn (1.13 is what it was written for).
"""

import argparse
import json
import os
import sqlite3
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

LENGTH = 0.4
GRAVITY = [0.0, 0.0, -9.81]
# Half the edge of the cross of points that stands for a marker [m]; any length will do, as markers are rigid.
CROSS = 1.0e-3


def skew(a):
    """The matrix of a ×."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


class Model:
    """Constants of the first n modes of a .rom, named as in docs/files.md."""

    def __init__(self, path, n=None):
        rom = np.load(path, allow_pickle=False)
        n = len(rom["omega"]) if n is None else min(n, len(rom["omega"]))
        self.n = n
        self.omega = rom["omega"][:n]
        self.com = rom["com"]
        self.mass = float(rom["mass"])
        self.first_moment = rom["first_moment"]
        self.inertia = rom["inertia"]
        self.coupling_t = rom["coupling_t"][:, :n]
        self.coupling_r0 = rom["coupling_r0"][:, :n]
        self.coupling_r1 = rom["coupling_r1"][: 3 * n, :n]
        self.inertia_1 = rom["inertia_1"][: 3 * n]
        self.inertia_2 = rom["inertia_2"][: 3 * n, : 3 * n]
        self.mass_modal = rom["mass_modal"][:n, :n]
        self.stiffness_modal = rom["stiffness_modal"][:n, :n]
        self.damping_modal = rom["damping_modal"][:n, :n] if "damping_modal" in rom else np.zeros((n, n))
        self.markers = {
            str(name): (
                rom["marker_position"][i],
                rom["marker_translation"][3 * i : 3 * i + 3, :n],
                rom["marker_rotation"][3 * i : 3 * i + 3, :n],
            )
            for i, name in enumerate(rom["marker_name"])
        }

    def points(self):
        """Reference positions and modes of the points, six for each marker, and the numbers of those of each marker."""
        positions, modes, numbers = [], [], {}
        for name, (position, translation, rotation) in self.markers.items():
            numbers[name] = range(len(positions), len(positions) + 6)
            for axis in range(3):
                for side in (-CROSS, CROSS):
                    arm = side * np.eye(3)[axis]
                    positions.append(position + arm)
                    modes.append(translation - skew(arm) @ rotation)
        return np.array(positions), np.vstack(modes), numbers


def add_body(exu, mbs, model, origin):
    """The model as an ObjectFFRFreducedOrder with the origin of its source geometry at `origin`; returns its number."""
    from exudyn.itemInterface import (
        LoadMassProportional,
        MarkerBodyMass,
        NodeGenericODE2,
        NodeRigidBodyEP,
        ObjectFFRFreducedOrder,
    )

    n = model.n
    positions, modes, _ = model.points()
    frame = mbs.AddNode(NodeRigidBodyEP(referenceCoordinates=[*(origin + model.com), 1.0, 0.0, 0.0, 0.0]))
    coordinates = mbs.AddNode(
        NodeGenericODE2(
            numberOfODE2Coordinates=n,
            referenceCoordinates=[0.0] * n,
            initialCoordinates=[0.0] * n,
            initialCoordinates_t=[0.0] * n,
        )
    )

    def container(matrix):
        filled = exu.MatrixContainer()
        filled.SetWithDenseMatrix(np.ascontiguousarray(matrix), useDenseMatrix=False)
        return filled

    across = np.hstack([model.inertia_1[3 * k : 3 * k + 3] for k in range(n)])
    turned = np.hstack([skew(model.coupling_t[:, k]) for k in range(n)])
    body = mbs.AddObject(
        ObjectFFRFreducedOrder(
            nodeNumbers=[frame, coordinates],
            massMatrixReduced=container(model.mass_modal),
            stiffnessMatrixReduced=container(model.stiffness_modal),
            dampingMatrixReduced=container(model.damping_modal),
            modeBasis=modes,
            referencePositions=positions.flatten(),
            mass=model.mass,
            inertia=model.inertia,
            centerOfMass=model.first_moment / model.mass,
            mPsiTildePsi=-model.coupling_r1,      # ∫ φ̃_lᵀ φ_k dm = −∫ φ_l × φ_k dm
            mPsiTildePsiTilde=model.inertia_2,    # ∫ φ̃_kᵀ φ̃_l dm
            mPhitTPsi=model.coupling_t,           # ∫ φ_k dm
            mPhitTPsiTilde=turned,                # ∫ φ̃_k dm
            mXRefTildePsi=-model.coupling_r0,     # ∫ R̃ᵀ φ_k dm
            mXRefTildePsiTilde=across,            # ∫ R̃ᵀ φ̃_k dm
        )
    )
    whole = mbs.AddMarker(MarkerBodyMass(bodyNumber=body))
    mbs.AddLoad(LoadMassProportional(markerNumber=whole, loadVector=GRAVITY))
    return body


def add_marker(mbs, body, model, name):
    """A rigid marker of Exudyn on the points of a marker of the model."""
    from exudyn.itemInterface import MarkerSuperElementRigid

    numbers = np.array(model.points()[2][name])
    weights = np.full(len(numbers), 1.0 / len(numbers))
    return mbs.AddMarker(
        MarkerSuperElementRigid(bodyNumber=body, meshNodeNumbers=numbers, weightingFactors=weights)
    )


def run(models, args):
    """Integrates the pendulum; returns times, positions of the tip and the numbers of the run."""
    import exudyn as exu
    from exudyn.itemInterface import MarkerBodyRigid, ObjectGround, ObjectJointGeneric, SensorMarker

    system = exu.SystemContainer()
    mbs = system.AddSystem()
    bodies = [add_body(exu, mbs, model, np.array([k * LENGTH, 0.0, 0.0])) for k, model in enumerate(models)]
    ground = mbs.AddObject(ObjectGround())
    support = mbs.AddMarker(MarkerBodyRigid(bodyNumber=ground, localPosition=[0.0, 0.0, 0.0]))
    ends = [{name: add_marker(mbs, body, model, name) for name in ("start", "end")} for body, model in zip(bodies, models)]
    # Of three shifts and three rotations the one about y is free.
    held = [1, 1, 1, 1, 0, 1]
    for pair in ([support, ends[0]["start"]], [ends[0]["end"], ends[1]["start"]]):
        mbs.AddObject(ObjectJointGeneric(markerNumbers=pair, constrainedAxes=held))
    tip = mbs.AddSensor(
        SensorMarker(
            markerNumber=ends[1]["end"],
            outputVariableType=exu.OutputVariableType.Position,
            storeInternal=True,
            writeToFile=False,
        )
    )
    mbs.Assemble()
    settings = exu.SimulationSettings()
    steps = round(args.end / args.step)
    settings.timeIntegration.numberOfSteps = steps
    settings.timeIntegration.endTime = args.end
    settings.timeIntegration.verboseMode = 0
    settings.timeIntegration.newton.useModifiedNewton = True
    settings.timeIntegration.generalizedAlpha.spectralRadius = args.spectral_radius
    settings.solution.file.write = False
    settings.solution.sensors.writePeriod = max(args.step, 1.0e-3)
    settings.parallel.numberOfThreads = 1
    begin = time.process_time()
    done = mbs.SolveDynamic(settings, solverType=exu.DynamicSolverType.GeneralizedAlpha, showHints=False)
    seconds = time.process_time() - begin
    path = mbs.GetSensorStoredData(tip)
    numbers = {
        "modes": [model.n for model in models],
        "done": bool(done),
        "steps": steps,
        "cpu_seconds": round(seconds, 4),
        "steps_per_cpu_second": round(steps / seconds, 1),
        "tip": path[-1, 1:4].tolist(),
    }
    return path[:, 0], path[:, 1:4], numbers


def rotation(b):
    """Rotation matrix of a unit quaternion, real part first."""
    v, tilde = b[1:], skew(b[1:])
    return (b[0] ** 2 - v @ v) * np.eye(3) + 2.0 * np.outer(v, v) + 2.0 * b[0] * tilde


def tip_of(result, model, body):
    """Times of the frames of a result of carom and the positions of the marker `end` of a body in them."""
    position, translation, _ = model.markers["end"]
    database = sqlite3.connect(f"file:{result}?mode=ro", uri=True)
    number = database.execute("SELECT id FROM body WHERE name = ?", (body,)).fetchone()[0]
    rows = database.execute(
        "SELECT time, x, y, z, q0, q1, q2, q3, modal FROM body_frame JOIN frame ON id = frame WHERE body = ? ORDER BY time",
        (number,),
    ).fetchall()
    times, places = [], []
    for at, x, y, z, *quaternion, modal in rows:
        q = np.frombuffer(modal)[: model.n]
        times.append(at)
        places.append(np.array([x, y, z]) + rotation(np.array(quaternion)) @ (position + translation @ q))
    return np.array(times), np.array(places)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("upper", help="model of the upper rod (.rom)")
    parser.add_argument("lower", nargs="?", help="model of the lower rod (.rom); that of the upper one unless given")
    parser.add_argument("--modes", type=int, help="first modes that are taken; all unless given")
    parser.add_argument("--step", type=float, default=1.0e-3, help="time step [s]")
    parser.add_argument("--end", type=float, default=0.5, help="end time [s]")
    parser.add_argument("--spectral-radius", type=float, default=0.8)
    parser.add_argument("--result", help="result of carom to compare with")
    parser.add_argument("--until", type=float, default=0.5, help="last time that is compared [s]")
    args = parser.parse_args()
    models = [Model(path, args.modes) for path in (args.upper, args.lower or args.upper)]
    times, places, numbers = run(models, args)
    if args.result:
        at, there = tip_of(args.result, models[1], "lower")
        # Frames at times that Exudyn wrote; between them nothing is interpolated.
        nearest = np.array([np.argmin(abs(times - t)) for t in at])
        same = (abs(times[nearest] - at) < 1.0e-9) & (at <= args.until + 1.0e-9)
        distance = np.linalg.norm(places[nearest[same]] - there[same], axis=1)
        numbers["compared_frames"] = int(same.sum())
        numbers["largest_distance"] = float(distance.max())
        numbers["distance_at"] = float(at[same][distance.argmax()])
        numbers["distance_at_end"] = float(distance[-1])
    print(json.dumps(numbers))


if __name__ == "__main__":
    main()
