"""Volume of the hexahedra of .vtu files, evaluated by VTK's own cells, rational Bezier hexahedra included.

    pvpython volume.py FILE.vtu...        (or any Python that has VTK)

Prints one JSON object per file: {"file", "cells", "volume", "centroid", "max_radius", "min_radius"}, the radii being those
of the outer faces about the origin.

Volume and centroid come from the outer faces by Gauss' theorem,

    V = 1/3 sum x . (x_u x x_v) du dv,     V c = 1/4 sum x (x . (x_u x x_v)) du dv,

with x from vtkCell.EvaluateLocation at M x M Gauss points and x_u, x_v from the polynomial through them. Faces that
two cells share are left out; faces that meet without sharing points cancel.
"""

import json
import sys

import numpy as np

try:
    from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader
    from vtkmodules.vtkCommonCore import reference
except ImportError:
    from vtk import vtkXMLUnstructuredGridReader, reference

M = 20
# Local corners of the faces, the fixed direction, its value, and +1 if (u, v) turn outwards.
FACES = [
    ((0, 3, 7, 4), 0, 0.0, -1.0), ((1, 2, 6, 5), 0, 1.0, 1.0),
    ((0, 1, 5, 4), 1, 0.0, 1.0), ((3, 2, 6, 7), 1, 1.0, -1.0),
    ((0, 1, 2, 3), 2, 0.0, -1.0), ((4, 5, 6, 7), 2, 1.0, 1.0),
]


def gauss(n):
    """Points and weights on [0, 1], and the matrix that differentiates the polynomial through the points."""
    x, w = np.polynomial.legendre.leggauss(n)
    x, w = 0.5 * (x + 1.0), 0.5 * w
    difference = x[:, None] - x[None, :] + np.eye(n)
    c = 1.0 / difference.prod(axis=1)
    d = (c[None, :] / c[:, None]) / difference
    np.fill_diagonal(d, 0.0)
    np.fill_diagonal(d, -d.sum(axis=1))
    return x, w, d


def face_points(cell, direction, value, xi, scratch):
    others = [a for a in range(3) if a != direction]
    points = np.empty((len(xi), len(xi), 3))
    parameters, x, sub_id = [0.0] * 3, [0.0] * 3, reference(0)
    parameters[direction] = value
    for a, u in enumerate(xi):
        for b, v in enumerate(xi):
            parameters[others[0]], parameters[others[1]] = u, v
            cell.EvaluateLocation(sub_id, parameters, x, scratch)
            points[a, b] = x
    return points


def outer_faces(grid):
    seen = {}
    for number in range(grid.GetNumberOfCells()):
        ids = grid.GetCell(number).GetPointIds()
        for corners, direction, value, sign in FACES:
            key = frozenset(ids.GetId(c) for c in corners)
            seen.setdefault(key, []).append((number, direction, value, sign))
    return [users[0] for users in seen.values() if len(users) == 1]


def measure(path):
    reader = vtkXMLUnstructuredGridReader()
    reader.SetFileName(path)
    reader.Update()
    grid = reader.GetOutput()
    xi, w, d = gauss(M)
    volume, moment, radii = 0.0, np.zeros(3), []
    for number, direction, value, sign in outer_faces(grid):
        cell = grid.GetCell(number)
        x = face_points(cell, direction, value, xi, [0.0] * cell.GetNumberOfPoints())
        x_u, x_v = np.einsum("ab,bcx->acx", d, x), np.einsum("ab,cbx->cax", d, x)
        # (u, v) is (y, z), (x, z) or (x, y): the sign table makes the normal point outwards.
        flux = sign * np.einsum("abx,abx->ab", x, np.cross(x_u, x_v)) * w[:, None] * w[None, :]
        volume += flux.sum() / 3.0
        moment += np.einsum("ab,abx->x", flux, x) / 4.0
        radii.append(np.linalg.norm(x, axis=2))
    return {"file": path, "cells": grid.GetNumberOfCells(), "volume": abs(volume),
            "centroid": list(moment / volume), "max_radius": float(np.max(radii)), "min_radius": float(np.min(radii))}


for name in sys.argv[1:]:
    print(json.dumps(measure(name)))
