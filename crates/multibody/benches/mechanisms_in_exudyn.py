#!/usr/bin/env python3
"""The chains, trees and rings of `cost.rs` (table `mechanisms`) in Exudyn: CPU time of a step.

    pip install exudyn
    python3 crates/multibody/benches/mechanisms_in_exudyn.py [chain] [tree] [ring] [modes=14] [bodies=40]

The same bodies (the lattice of `tests/lattice`: 18 points, rebuilt here from its formulas), places, joints,
gravity, steps (100 of 1 ms) and integrator (generalised-alpha with a spectral radius of 0.8, index 3 with modified
Newton's method, Exudyn's defaults otherwise), with its sparse solver (EigenSparse) on one thread, without
files. Bodies with modes are floating frames of reduced order (FFRFreducedOrder), whose ends are the mean of
the same six points. Least CPU time of three runs, without the assembly of the system.
"""

import sys
import time

import exudyn as exu
import exudyn.FEM as fem_of
import exudyn.itemInterface as eii
import numpy as np
from scipy.linalg import eigh
from scipy.sparse import csr_matrix

STEPS, STEP = 100, 1e-3
START, STOP = [0, 1, 2, 9, 10, 11], [6, 7, 8, 15, 16, 17]


class Numbers:
    """The numbers of tests/lattice."""

    def __init__(self):
        self.state = 7

    def next(self):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 11) / 2**52 - 1.0


def lattice(size=0.1, mass=1.0, omega=2000.0):
    """Positions, scalar mass matrix, stiffness matrix."""
    numbers = Numbers()
    points = []
    for p in range(18):
        grid = np.array([p % 3, 0.8 * (p // 3 % 3), 1.2 * (p // 9)])
        points.append(size * (grid + 0.15 * np.array([numbers.next() for _ in range(3)])))
    x, n = np.array(points), 18
    m = np.zeros((n, n))
    for i in range(n):
        m[i, i] = 1.0 + 0.3 * numbers.next()
        for j in range(i):
            m[i, j] = m[j, i] = 0.02 * (1.0 + numbers.next())
    m *= mass / m.sum()
    stiffness, k = np.zeros((3 * n, 3 * n)), mass / n * omega**2
    for i in range(n):
        for j in range(i):
            d = x[i] - x[j]
            if np.linalg.norm(d) < 2.0 * size:
                e = d / np.linalg.norm(d)
                block = k * (1.0 + 0.3 * numbers.next()) * np.outer(e, e)
                for a, b, sign in ((i, i, 1), (j, j, 1), (i, j, -1), (j, i, -1)):
                    stiffness[3 * a:3 * a + 3, 3 * b:3 * b + 3] += sign * block
    return x - m.sum(axis=0) @ x / mass, m, stiffness


def rotation_between(a, b):
    """The matrix that turns a to b the shortest way."""
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    v, c = np.cross(a, b), a @ b
    if c < -1.0 + 1e-12:
        axis = np.cross(a, [0.0, 1.0, 0.0])
        axis /= np.linalg.norm(axis)
        return 2.0 * np.outer(axis, axis) - np.eye(3)
    s = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.eye(3) + s + s @ s / (1.0 + c)


def places(shape, n, start, stop):
    """Origins and rotations of the bodies; pairs (before, body) of joints between them."""
    length = np.linalg.norm(stop - start)
    angles = [2.0 * np.pi * k / n if shape == "ring" else 0.0 for k in range(n)]
    edge = lambda angle: length * np.array([np.cos(angle), 0.0, np.sin(angle)])
    corners, pairs = [np.zeros(3)], []
    for k in range(1, n):
        before = (k - 1) // 2 if shape == "tree" else k - 1
        corners.append(corners[before] + edge(angles[before]))
        pairs.append((before, k))
    if shape == "ring":
        pairs.append((n - 1, 0))
    turns = [rotation_between(stop - start, edge(angle)) for angle in angles]
    return [start + c - turn @ start for c, turn in zip(corners, turns)], turns, pairs


def system(shape, n, modes):
    x, m, stiffness = lattice()
    start, stop = x[START].mean(axis=0), x[STOP].mean(axis=0)
    origins, turns, pairs = places(shape, n, start, stop)
    container = exu.SystemContainer()
    mbs = container.AddSystem()
    inertia = sum(
        m[i, j] * ((x[i] @ x[j]) * np.eye(3) - np.outer(x[j], x[i])) for i in range(18) for j in range(18)
    )
    gravity = [0.0, 0.0, -9.81]
    ends = []
    interface = reduced(x, m, stiffness, modes) if modes else None
    for origin, turn in zip(origins, turns):
        if modes:
            body = interface.AddObjectFFRFreducedOrder(
                mbs, positionRef=origin, rotationMatrixRef=turn, initialVelocity=[0, 0, 0], gravity=gravity
            )
            mark = lambda nodes: mbs.AddMarker(
                eii.MarkerSuperElementPosition(
                    bodyNumber=body["oFFRFreducedOrder"],
                    meshNodeNumbers=nodes,
                    weightingFactors=[1.0 / 6.0] * 6,
                )
            )
            ends.append((mark(START), mark(STOP)))
        else:
            rigid = mbs.CreateRigidBody(
                inertia=exu.rigidBodyUtilities.RigidBodyInertia(m.sum(), inertia),
                referencePosition=origin,
                referenceRotationMatrix=turn,
                gravity=gravity,
            )
            mark = lambda place: mbs.AddMarker(eii.MarkerBodyPosition(bodyNumber=rigid, localPosition=place))
            ends.append((mark(start), mark(stop)))
    ground = mbs.AddObject(eii.ObjectGround())
    fixed = mbs.AddMarker(eii.MarkerBodyPosition(bodyNumber=ground, localPosition=start))
    mbs.AddObject(eii.ObjectJointSpherical(markerNumbers=[fixed, ends[0][0]]))
    for before, body in pairs:
        mbs.AddObject(eii.ObjectJointSpherical(markerNumbers=[ends[before][1], ends[body][0]]))
    mbs.Assemble()
    return container, mbs


def reduced(x, m, stiffness, modes):
    """The floating frame with the lowest elastic modes of the lattice."""
    interface = fem_of.FEMinterface()
    mass = np.kron(m, np.eye(3))
    interface.nodes = {"Position": x}
    interface.massMatrix = csr_matrix(mass)
    interface.stiffnessMatrix = csr_matrix(stiffness)
    values, vectors = eigh(stiffness, mass)
    interface.modeBasis = {"matrix": vectors[:, 6:6 + modes], "type": "NormalModes"}
    interface.eigenValues = values[6:6 + modes]
    return fem_of.ObjectFFRFreducedOrderInterface(interface)


def micros(shape, n, modes):
    """CPU time of a step."""
    best, iterations = np.inf, 0.0
    for _ in range(3):
        container, mbs = system(shape, n, modes)
        settings = exu.SimulationSettings()
        settings.timeIntegration.numberOfSteps = STEPS
        settings.timeIntegration.endTime = STEPS * STEP
        settings.timeIntegration.verboseMode = 0
        settings.timeIntegration.generalizedAlpha.spectralRadius = 0.8
        settings.timeIntegration.newton.useModifiedNewton = True
        settings.solutionSettings.writeSolutionToFile = False
        settings.solutionSettings.sensorsWritePeriod = 1e9
        settings.linearSolverType = exu.LinearSolverType.EigenSparse
        settings.parallel.numberOfThreads = 1
        solver = exu.MainSolverImplicitSecondOrder()
        assert solver.InitializeSolver(mbs, settings)
        begin = time.process_time()
        solver.SolveSteps(mbs, settings)
        seconds = time.process_time() - begin
        solver.FinalizeSolver(mbs, settings)
        iterations = solver.it.newtonStepsCount / STEPS
        best = min(best, seconds)
    return 1e6 * best / STEPS, iterations


def main():
    words = sys.argv[1:]
    number = lambda key: next((int(word[len(key):]) for word in words if word.startswith(key)), None)
    shapes = [shape for shape in ("chain", "tree", "ring") if shape in words] or ["chain", "tree", "ring"]
    print("| mechanism | modes | bodies | microseconds of a step | iterations |\n|---|---|---|---|---|")
    for shape in shapes:
        for modes in (0, 14) if number("modes=") is None else (number("modes="),):
            for n in (5, 10, 20, 40, 100, 200):
                if n <= (number("bodies=") or 200):
                    cost, iterations = micros(shape, n, modes)
                    print(f"| {shape} | {modes} | {n} | {cost:.1f} | {iterations:.1f} |", flush=True)


main()
