"""Draws the cam of this folder as a CAD part and writes cam.step in millimetres: python3 cam_part.py (needs NumPy and Gmsh's Python module).

A disc whose flank is extruded from the same spline as cam.py has it, with chamfered edges, a hub with a fillet, a bore with a keyway. The drawing is
done by OpenCASCADE, the CAD kernel inside of Gmsh; no mesh is made here.
"""

import gmsh
import numpy as np

from cam import ANGLES, DEGREE, N, controls, profile

WIDTH, CHAMFER = 6.0, 1.0  # width and chamfer of the disc [mm]
BORE, HUB, FILLET = 10.0, 17.0, 2.0  # radii [mm]
HEIGHT = 10.0  # height of the hub above the disc [mm]
KEY_WIDTH, KEY_DEPTH = 6.0, 2.8  # size of the keyway beyond the bore [mm]


def flank(kernel, z):
    """The profile as one closed edge."""
    points = [kernel.addPoint(x, y, z) for x, y in 1e3 * controls(np.array([profile(a) for a in ANGLES]))]
    knots = list(np.arange(N + 1.0))
    return kernel.addBSpline(points + points[:1], degree=DEGREE, knots=knots, multiplicities=[1] * (N + 1))


def around(radius, z):
    """The closed edge at the height z that reaches so far along x."""
    for dim, tag in gmsh.model.getEntities(1):
        low_x, _, low_z, high_x, _, high_z = gmsh.model.getBoundingBox(dim, tag)
        if abs(high_x - low_x - 2 * radius) < 0.1 and abs(low_z + high_z - 2 * z) < 1e-3 and high_z - low_z < 1e-3:
            return tag
    raise RuntimeError(f"there is no closed edge of radius {radius} at {z}")


def beside(edge):
    """The plane face that an edge bounds."""
    faces, _ = gmsh.model.getAdjacencies(1, edge)
    return next(face for face in faces if gmsh.model.getType(2, face) == "Plane")


gmsh.initialize()
gmsh.option.setNumber("General.Verbosity", 1)
kernel, half = gmsh.model.occ, WIDTH / 2
face = kernel.addPlaneSurface([kernel.addCurveLoop([flank(kernel, -half)])])
disc = [tag for dim, tag in kernel.extrude([(2, face)], 0, 0, WIDTH) if dim == 3]
kernel.synchronize()
edges = [around(33.0, -half), around(33.0, half)]
disc = kernel.chamfer(disc, edges, [beside(edge) for edge in edges], [CHAMFER])
hub = (3, kernel.addCylinder(0, 0, 0, 0, 0, half + HEIGHT, HUB))
part, _ = kernel.fuse(disc, [hub])
kernel.synchronize()
part = kernel.fillet([part[0][1]], [around(HUB, half)], [FILLET])
bore = (3, kernel.addCylinder(0, 0, -2 * half, 0, 0, 4 * half + HEIGHT, BORE))
kernel.rotate([bore], 0, 0, 0, 0, 0, 1, np.pi / 2)  # moves the seam of the cylinder into the keyway
key = (3, kernel.addBox(-KEY_WIDTH / 2, 0, -2 * half, KEY_WIDTH, BORE + KEY_DEPTH, 4 * half + HEIGHT))
kernel.cut(part, [bore, key])
kernel.synchronize()
gmsh.write("cam.step")
gmsh.finalize()
