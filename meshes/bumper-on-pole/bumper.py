"""Meshes of a bumper and a pole with the counts of Zywicz and Puso (1999), third example, whose geometry is not public.

    python3 meshes/bumper-on-pole/bumper.py meshes/bumper-on-pole

writes `pole.inp` (496 hexahedra C3D8) and `bumper.inp` (841 shells S4) and prints the counts: 1766 nodes and 1493 segments of
contact, which are the outer faces of the pole and the shells.

The counts leave few choices. 31 layers of 16 quadrangles have 652 outer faces if the section has 20 edges on its rim: half a tube
of 2 cells through the wall and 8 around it, with 27 nodes. The bumper has the remaining 902 nodes: 30 by 30 cells less 59 at the
corners. Lengths are in m.
"""

import argparse
import math
import os

LAYERS, AROUND, WALL = 31, 8, 2
POLE_LENGTH, OUTER, INNER = 1.0, 0.15, 0.09

CELLS = 30
WIDTH, DEPTH, FLANGE, HEIGHT = 1.5, 0.15, 0.05, 0.30
SWEEP = 0.12
# Cells without a shell in the rows from each corner inwards: the ends of the bumper are tapered.
CORNERS = [(5, 4, 3, 2, 1), (5, 4, 3, 2, 1), (5, 4, 3, 2, 1), (5, 4, 3, 2)]


def pole():
    """Points and cells of the half tube around the z axis, open to -x, so that its round side faces +x."""
    points, cells = [], []
    for layer in range(LAYERS + 1):
        z = POLE_LENGTH * (layer / LAYERS - 0.5)
        for around in range(AROUND + 1):
            angle = math.pi * (around / AROUND - 0.5)
            for wall in range(WALL + 1):
                radius = INNER + (OUTER - INNER) * wall / WALL
                points.append((radius * math.cos(angle), radius * math.sin(angle), z))
    number = lambda wall, around, layer: wall + (WALL + 1) * (around + (AROUND + 1) * layer)
    for layer in range(LAYERS):
        for around in range(AROUND):
            for wall in range(WALL):
                square = [(0, 0), (1, 0), (1, 1), (0, 1)]
                cells.append([number(wall + a, around + b, layer + c) for c in (0, 1) for a, b in square])
    return points, cells


def profile(s):
    """A point (x, z) at the share s of the developed length of a hat: flange, slope, front, slope, flange."""
    slope = 0.05
    corners = [(DEPTH, -HEIGHT / 2 - slope - FLANGE), (DEPTH, -HEIGHT / 2 - slope), (0.0, -HEIGHT / 2)]
    corners += [(x, -z) for x, z in reversed(corners)]
    lengths = [math.dist(a, b) for a, b in zip(corners, corners[1:])]
    left = s * sum(lengths)
    for (a, b), length in zip(zip(corners, corners[1:]), lengths):
        if left <= length or b is corners[-1]:
            t = min(1.0, left / length)
            return a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])
        left -= length


def is_cut(i, j):
    """True for a cell that a tapered corner does not have."""
    for corner, rows in enumerate(CORNERS):
        row = j if corner < 2 else CELLS - 1 - j
        column = i if corner % 2 == 0 else CELLS - 1 - i
        if row < len(rows) and column < rows[row]:
            return True
    return False


def bumper():
    """Points and shells of a hat along y, swept back at its ends; its front faces -x at x = 0."""
    grid = [[(i, j) for i in range(CELLS)] for j in range(CELLS)]
    kept = [(i, j) for row in grid for i, j in row if not is_cut(i, j)]
    used = sorted({(i + a, j + b) for i, j in kept for a in (0, 1) for b in (0, 1)}, key=lambda ij: (ij[1], ij[0]))
    number = {ij: n for n, ij in enumerate(used)}
    points = []
    for i, j in used:
        y = WIDTH * (i / CELLS - 0.5)
        x, z = profile(j / CELLS)
        points.append((x + SWEEP * (2.0 * y / WIDTH) ** 2, y, z))
    cells = [[number[i, j], number[i, j + 1], number[i + 1, j + 1], number[i + 1, j]] for i, j in kept]
    return points, cells


def write(path, kind, name, points, cells, sets, surface):
    """An .inp file with named sets of nodes and a surface of (cell, side), numbers from 1."""
    with open(path, "w") as out:
        out.write(f"*HEADING\n{name}, written by bumper.py\n*NODE\n")
        out.writelines(f"{n}, {x:.12g}, {y:.12g}, {z:.12g}\n" for n, (x, y, z) in enumerate(points, 1))
        out.write(f"*ELEMENT, TYPE={kind}, ELSET={name}\n")
        out.writelines(f"{n}, " + ", ".join(str(k + 1) for k in cell) + "\n" for n, cell in enumerate(cells, 1))
        for set_name, nodes in sets.items():
            out.write(f"*NSET, NSET={set_name}\n")
            out.writelines(", ".join(str(k + 1) for k in nodes[i : i + 12]) + "\n" for i in range(0, len(nodes), 12))
        out.write("*SURFACE, TYPE=ELEMENT, NAME=front\n")
        out.writelines(f"{cell + 1}, {side}\n" for cell, side in surface)


def outer_faces(cells):
    """Number of faces of hexahedra that belong to one cell."""
    faces = [(0, 1, 2, 3), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)]
    count = {}
    for cell in cells:
        for face in faces:
            key = tuple(sorted(cell[k] for k in face))
            count[key] = count.get(key, 0) + 1
    return sum(n == 1 for n in count.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", help="folder of both files")
    folder = parser.parse_args().folder
    (pole_points, bricks), (shell_points, shells) = pole(), bumper()
    ends = [n for n, (_, _, z) in enumerate(pole_points) if abs(abs(z) - POLE_LENGTH / 2) < 1e-9]
    # Cells of the outer layer, whose side S4 is the round one.
    round_side = [(n, "S4") for n in range(len(bricks)) if n % WALL == WALL - 1]
    write(os.path.join(folder, "pole.inp"), "C3D8", "pole", pole_points, bricks, {"ends": ends}, round_side)
    # Normals point to -x, to the pole.
    front = [(n, "SPOS") for n in range(len(shells))]
    middle = [n for n, (x, y, z) in enumerate(shell_points) if abs(y) < 1e-9]
    write(os.path.join(folder, "bumper.inp"), "S4", "bumper", shell_points, shells, {"middle": middle}, front)
    nodes, segments = len(pole_points) + len(shell_points), outer_faces(bricks) + len(shells)
    print(f"{len(bricks)} bricks, {len(shells)} shells, {nodes} nodes, {segments} segments")
    assert (len(bricks), len(shells), nodes, segments) == (496, 841, 1766, 1493)


main()
