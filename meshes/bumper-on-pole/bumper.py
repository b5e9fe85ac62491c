"""Meshes of a bumper and a pole with the counts of Zywicz and Puso (1999), third example, whose geometry is not public.

    python3 meshes/bumper-on-pole/bumper.py meshes/bumper-on-pole

writes `pole.inp` (496 hexahedra C3D8), `beam.inp` (468 shells S4) and `shield.inp` (373 shells S4), and prints the counts: 1766
nodes and 1493 segments of contact, which are the outer faces of the pole and the shells.

The counts leave few choices. 31 layers of 16 quadrangles have 652 outer faces if the section has 20 edges on its rim: half a tube
of 2 cells through the wall and 8 around it, with 27 nodes. A tube of n cells around and m along and a sheet of a by b cells, less
k cells at its corners, have n m + a b - k cells and n (m + 1) + (a + 1) (b + 1) - k nodes. 841 and 902 are n + a + b = 60: n = 18,
m = 26, a = 29, b = 13, k = 4, a box beam of 5 by 4 cells in its section and a shield without its four corners. Lengths are in m.
"""

import argparse
import math
import os

LAYERS, AROUND, WALL = 31, 8, 2
POLE_LENGTH, OUTER, INNER = 1.0, 0.15, 0.09

# The box beam: cells along, up and through; length, height and depth.
ALONG, UP, THROUGH = 26, 5, 4
BEAM_LENGTH, BEAM_HEIGHT, BEAM_DEPTH = 1.30, 0.15, 0.12
BEAM_THICKNESS = 0.0012

# The shield: cells along and around, length, height of its front, depth of its upper and lower sides.
WIDE, AROUND_BEAM = 29, 13
SHIELD_LENGTH, FRONT, SIDE = 1.45, 0.20, 0.085
SHIELD_THICKNESS = 0.0008
CLEARANCE = 0.015

# Gauss points through the thickness of the shells.
LAYERS_OF_SHELLS = 3

# The ends of the bumper lie this far behind its middle.
SWEEP = 0.10


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


def swept(x, y, z):
    """A point of the straight bumper, its ends moved back."""
    return x + SWEEP * (2.0 * y / SHIELD_LENGTH) ** 2, y, z


def beam():
    """Points and shells of a box beam along y whose normals point outwards; its front is at x = CLEARANCE."""
    corners = [(0.0, -0.5), (0.0, 0.5), (1.0, 0.5), (1.0, -0.5)]
    section = []
    for corner, cells in enumerate((UP, THROUGH, UP, THROUGH)):
        (x0, z0), (x1, z1) = corners[corner], corners[(corner + 1) % 4]
        section += [(x0 + (x1 - x0) * k / cells, z0 + (z1 - z0) * k / cells) for k in range(cells)]
    points = []
    for i in range(ALONG + 1):
        y = BEAM_LENGTH * (i / ALONG - 0.5)
        points += [swept(CLEARANCE + BEAM_DEPTH * x, y, BEAM_HEIGHT * z) for x, z in section]
    around = len(section)
    number = lambda i, k: i * around + k % around
    cells = [
        [number(i, k), number(i, k + 1), number(i + 1, k + 1), number(i + 1, k)] for i in range(ALONG) for k in range(around)
    ]
    return points, cells


def profile(s):
    """A point (x, z) at the share s of the developed length of the shield: lower side, front, upper side."""
    left = s * (FRONT + 2.0 * SIDE) - SIDE
    if left < 0.0:
        return -left, -FRONT / 2.0
    if left > FRONT:
        return left - FRONT, FRONT / 2.0
    return 0.0, left - FRONT / 2.0


def shield():
    """Points and shells of a sheet bent around the beam, without its four corners; its front faces -x at x = 0."""
    ends = lambda i, n: i in (0, n - 1)
    kept = [(i, j) for j in range(AROUND_BEAM) for i in range(WIDE) if not (ends(i, WIDE) and ends(j, AROUND_BEAM))]
    used = sorted({(i + a, j + b) for i, j in kept for a in (0, 1) for b in (0, 1)}, key=lambda ij: (ij[1], ij[0]))
    number = {ij: n for n, ij in enumerate(used)}
    points = []
    for i, j in used:
        x, z = profile(j / AROUND_BEAM)
        points.append(swept(x, SHIELD_LENGTH * (i / WIDE - 0.5), z))
    cells = [[number[i, j], number[i, j + 1], number[i + 1, j + 1], number[i + 1, j]] for i, j in kept]
    return points, cells


def write(path, kind, name, points, cells, sets, surfaces, thickness=None):
    """An .inp file with named sets of nodes and surfaces of (cell, side), numbers from 1; a thickness is that of shells."""
    with open(path, "w") as out:
        out.write(f"*HEADING\n{name}, written by bumper.py\n*NODE\n")
        out.writelines(f"{n}, {x:.12g}, {y:.12g}, {z:.12g}\n" for n, (x, y, z) in enumerate(points, 1))
        out.write(f"*ELEMENT, TYPE={kind}, ELSET={name}\n")
        out.writelines(f"{n}, " + ", ".join(str(k + 1) for k in cell) + "\n" for n, cell in enumerate(cells, 1))
        if thickness is not None:
            out.write(f"*SHELL SECTION, ELSET={name}\n{thickness}, {LAYERS_OF_SHELLS}\n")
        for set_name, nodes in sets.items():
            out.write(f"*NSET, NSET={set_name}\n")
            out.writelines(", ".join(str(k + 1) for k in nodes[i : i + 12]) + "\n" for i in range(0, len(nodes), 12))
        for surface_name, sides in surfaces.items():
            out.write(f"*SURFACE, TYPE=ELEMENT, NAME={surface_name}\n")
            out.writelines(f"{cell + 1}, {side}\n" for cell, side in sides)


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
    (pole_points, bricks), (beam_points, tube), (shield_points, sheet) = pole(), beam(), shield()
    ends = [n for n, (_, _, z) in enumerate(pole_points) if abs(abs(z) - POLE_LENGTH / 2) < 1e-9]
    # Cells of the outer layer, whose side S4 is the round one.
    round_side = [(n, "S4") for n in range(len(bricks)) if n % WALL == WALL - 1]
    write(os.path.join(folder, "pole.inp"), "C3D8", "pole", pole_points, bricks, {"ends": ends}, {"round": round_side})
    ends = [n for n, (_, y, _) in enumerate(beam_points) if abs(abs(y) - BEAM_LENGTH / 2) < 1e-9]
    around = 2 * (UP + THROUGH)
    wall = lambda first, cells: [(n, "SNEG") for n in range(len(tube)) if first <= n % around < first + cells]
    surfaces = {
        "outside": [(n, "SPOS") for n in range(len(tube))],
        "front_inside": wall(0, UP),
        "top_inside": wall(UP, THROUGH),
        "rear_inside": wall(UP + THROUGH, UP),
        "bottom_inside": wall(2 * UP + THROUGH, THROUGH),
    }
    write(os.path.join(folder, "beam.inp"), "S4", "beam", beam_points, tube, {"ends": ends}, surfaces, BEAM_THICKNESS)
    surfaces = {name: [(n, side) for n in range(len(sheet))] for name, side in (("front", "SPOS"), ("back", "SNEG"))}
    write(os.path.join(folder, "shield.inp"), "S4", "shield", shield_points, sheet, {}, surfaces, SHIELD_THICKNESS)
    nodes = len(pole_points) + len(beam_points) + len(shield_points)
    shells = len(tube) + len(sheet)
    segments = outer_faces(bricks) + shells
    print(f"{len(bricks)} bricks, {shells} shells, {nodes} nodes, {segments} segments")
    assert (len(bricks), shells, nodes, segments) == (496, 841, 1766, 1493)


main()
