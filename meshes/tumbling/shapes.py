"""Writes the L-shape and the propeller of this folder: python3 shapes.py l-shape > l-shape.inp, propeller > propeller.inp.

Eight-node hexahedra. The L-shape has two legs of 10 × 2 × 2 bricks and 0.1 m; the hexagonal hub of the propeller has a radius of 20 mm,
its three blades of 8 × 1 × 2 cells are 0.12 m long and twisted by 40 degrees. Units are m, kg and s.
"""

import math
import sys


class Mesh:
    def __init__(self):
        self.labels, self.points, self.cells = {}, [], []

    def node(self, key, x):
        if key not in self.labels:
            self.points.append(x)
            self.labels[key] = len(self.points)
        return self.labels[key]

    def brick(self, corners):
        """corners: eight (key, x) in the order of C3D8."""
        self.cells.append([self.node(key, x) for key, x in corners])

    def print(self):
        print("*NODE")
        for label, x in enumerate(self.points, 1):
            print(f"{label}, " + ", ".join(f"{value:.9g}" for value in x))
        print("*ELEMENT, TYPE=C3D8, ELSET=all")
        for label, cell in enumerate(self.cells, 1):
            print(f"{label}, " + ", ".join(str(node) for node in cell))
        print("*SOLID SECTION, ELSET=all, MATERIAL=rubber")
        print("*MATERIAL, NAME=rubber\n*ELASTIC\n1e+06, 0.3\n*DENSITY\n1000")


CORNERS = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]


def l_shape():
    mesh, size = Mesh(), 0.01
    bricks = {(i, j, k) for i in range(10) for j in range(2) for k in range(2)}
    bricks |= {(i, j, k) for i in range(2) for j in range(10) for k in range(2)}
    for brick in sorted(bricks):
        keys = [tuple(a + b for a, b in zip(brick, corner)) for corner in CORNERS]
        mesh.brick([(key, [size * value for value in key]) for key in keys])
    return mesh


def propeller():
    """A hexagonal hub, whose every other side carries a blade."""
    mesh, radius, height, length = Mesh(), 0.02, 0.01, 0.12
    ring = [(radius * math.cos(math.pi / 3 * k), radius * math.sin(math.pi / 3 * k)) for k in range(6)]
    # Three rhombi around the axis make the hexagon.
    for k in range(0, 6, 2):
        a, b, c = ring[k], ring[(k + 1) % 6], ring[(k + 2) % 6]
        names = [("o",), ("r", k), ("r", (k + 1) % 6), ("r", (k + 2) % 6)]
        base = list(zip(names, [(0.0, 0.0), a, b, c]))
        for level in range(2):
            corners = [((name, level + up), [x, y, height * (level + up - 1)]) for up in (0, 1) for name, (x, y) in base]
            mesh.brick(corners)
    # A blade begins at the side from corner k to k + 1.
    for k in range(0, 6, 2):
        a, b = ring[k], ring[(k + 1) % 6]
        out = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2]
        size = math.hypot(*out)
        out = [value / size for value in out]
        across = [(b[0] - a[0]) / 2, (b[1] - a[1]) / 2]

        def place(i, side, level):
            s = i / 8
            turn, thick = math.radians(40 * s), height * (1 - 0.5 * s)
            w, z = side * math.cos(turn) * radius / 2, side * math.sin(turn) * radius / 2
            w, z = w - level * thick * math.sin(turn), z + level * thick * math.cos(turn)
            at = [o * (size + length * s) for o in out]
            unit = [value / (radius / 2) for value in across]
            return [at[0] + unit[0] * w, at[1] + unit[1] * w, z]

        def corner(i, side, level):
            if i == 0:
                name = ("r", k if side < 0 else (k + 1) % 6)
                return (name, level), [*(a if side < 0 else b), height * (level - 1)]
            return ("blade", k, i, side, level), place(i, side, level - 1)

        for i in range(8):
            for level in range(2):
                order = [(i, -1, 0), (i + 1, -1, 0), (i + 1, 1, 0), (i, 1, 0)]
                mesh.brick([corner(j, side, level + up) for up in (0, 1) for j, side, _ in order])
    return mesh


{"l-shape": l_shape, "propeller": propeller}[sys.argv[1]]().print()
