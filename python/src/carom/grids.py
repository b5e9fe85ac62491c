"""Bodies in a frame as pyvista grids: points at their places in the first frame, displacements as a field."""

import numpy as np

from .archive import VTK_CELLS
from .errors import CaromError, needs


def grid(result, body, frame):
    """A body in a frame.

    Points are those of the undeformed body where it is in the first frame; `displacement` [m] leads to their
    places in this frame: `grid.warp_by_vector("displacement")` moves them. A mesh whose displacement is known
    everywhere has its cells, any other one its surface. NURBS bodies have their outer surface as quadrangles
    between points of the exact surface, degree x degree to a knot span.
    """
    entry, geometry = result.bodies[body], result.body(body)
    displacement, known = _elastic(result, body, frame, geometry)
    if geometry.is_nurbs:
        points, elastic, made = _of_nurbs(geometry, displacement, known)
    else:
        points, elastic, made = _of_mesh(geometry, displacement, known)
    first, now = result.frame(body, 0), result.frame(body, frame)
    rest = first.position + (points - entry.origin) @ first.rotation.T
    placed = now.position + (points - entry.origin + elastic) @ now.rotation.T
    made.points = rest
    made.point_data["displacement"] = placed - rest
    return made


def _elastic(result, body, frame, geometry):
    """Displacements of all points in body axes, and which of them are known."""
    entry, n = result.bodies[body], geometry.n_points
    displacement = np.zeros((n, 3))
    if entry.is_rigid or entry.n_modes == 0:
        return displacement, np.ones(n, bool)
    modal = result.frame(body, frame).modal
    if entry.is_unreduced:
        displacement[:] = modal.reshape(-1, 3)
        return displacement, np.ones(n, bool)
    model, known = result.model(body), np.zeros(n, bool)
    if "fields_points" in model:
        known[model["fields_points"]] = True
        displacement[model["fields_points"]] = model.displacement(modal)
    return displacement, known


def _of_mesh(geometry, displacement, known):
    pyvista = needs("pyvista", "a grid")
    lists, types = [], []
    for kind, cells in geometry.cells():
        sizes = np.full((len(cells), 1), cells.shape[1])
        lists.append(np.hstack([sizes, cells]).ravel())
        types.append(np.full(len(cells), VTK_CELLS[kind], np.uint8))
    made = pyvista.UnstructuredGrid(np.concatenate(lists), np.concatenate(types), geometry.points)
    if known.all():
        return geometry.points, displacement, made
    surface = _surface(pyvista, made)
    numbers = np.asarray(surface.point_data["number"])
    surface.clear_data()
    return geometry.points[numbers], displacement[numbers], surface


def _surface(pyvista, grid):
    """The faces of cells that belong to one cell alone, curved ones with their middle nodes; `number` has points."""
    geometry = needs("vtkmodules.vtkFiltersGeometry", "a surface").vtkUnstructuredGridGeometryFilter()
    geometry.SetInputData(grid)
    geometry.SetPassThroughPointIds(True)
    geometry.SetOriginalPointIdsName("number")
    geometry.Update()
    return pyvista.wrap(geometry.GetOutput())


def _of_nurbs(geometry, displacement, known):
    pyvista = needs("pyvista", "a grid")
    points, elastic, cells, start = [], [], [], 0
    for patch, axis, end in _outer_sides(geometry):
        across = [d for d in range(3) if d != axis]
        shape = [len(patch["knots"][d]) - patch["degrees"][d] - 1 for d in range(3)]
        # The first parameter runs fastest.
        numbers = np.arange(np.prod(shape)).reshape(shape[::-1]).transpose(2, 1, 0)
        side = np.take(numbers, end * (shape[axis] - 1), axis)
        ids = patch["ids"][side]
        if not known[ids].all():
            raise CaromError(
                f"`{geometry.path}`: the model does not keep the modes of the whole surface: reduce the body "
                "with `fields = \"surface\"`")
        lattices = [_lattice(patch["knots"][d], patch["degrees"][d]) for d in across]
        bases = [_basis(patch["knots"][d], patch["degrees"][d], x) for d, x in zip(across, lattices)]
        weights = patch["weights"][side]
        whole = np.einsum("ai,bj,ij->ab", *bases, weights)

        def evaluated(values):
            return (np.einsum("ai,bj,ij,ijk->abk", *bases, weights, values) / whole[..., None]).reshape(-1, 3)

        points.append(evaluated(patch["points"][side]))
        elastic.append(evaluated(displacement[ids]))
        places = start + np.arange(whole.size).reshape(whole.shape)
        corners = [places[:-1, :-1], places[1:, :-1], places[1:, 1:], places[:-1, 1:]]
        cells.append(np.stack([corner.ravel() for corner in corners], 1))
        start += whole.size
    cells, points = np.concatenate(cells), np.concatenate(points)
    sizes = np.full((len(cells), 1), 4)
    types = np.full(len(cells), VTK_CELLS["quad4"], np.uint8)
    made = pyvista.UnstructuredGrid(np.hstack([sizes, cells]).ravel(), types, points)
    return points, np.concatenate(elastic), made


def _outer_sides(geometry):
    """Sides of patches that no other one is glued to, and that are not collapsed: patch, axis, end 0 or 1."""
    patches, found, count = geometry.patches(), [], {}
    for patch in patches:
        shape = [len(patch["knots"][d]) - patch["degrees"][d] - 1 for d in range(3)]
        ids = patch["ids"].reshape(shape[::-1]).transpose(2, 1, 0)
        for axis in range(3):
            for end in (0, 1):
                side = np.take(ids, end * (shape[axis] - 1), axis)
                key = tuple(np.unique(side))
                count[key] = count.get(key, 0) + 1
                is_area = len(np.unique(side[0])) > 1 and len(np.unique(side[:, 0])) > 1
                is_area |= len(np.unique(side[-1])) > 1 and len(np.unique(side[:, -1])) > 1
                if is_area:
                    found.append((key, (patch, axis, end)))
    return [side for key, side in found if count[key] == 1]


def _lattice(knots, degree):
    """Parameters: the corners of the knot spans, and degree - 1 between them."""
    corners = np.unique(knots)
    inner = np.arange(degree) / degree
    return np.append((corners[:-1, None] + np.diff(corners)[:, None] * inner).ravel(), corners[-1])


def _basis(knots, degree, x):
    """Values of the B-splines at parameters, parameters x functions, by the recursion of Cox and de Boor."""
    last = len(knots) - degree - 2
    span = np.clip(np.searchsorted(knots, x, side="right") - 1, degree, last)
    values = np.zeros((len(x), len(knots) - 1))
    values[np.arange(len(x)), span] = 1.0
    for p in range(1, degree + 1):
        for i in range(len(knots) - 1 - p):
            left, right = knots[i + p] - knots[i], knots[i + p + 1] - knots[i + 1]
            own = (x - knots[i]) / left * values[:, i] if left > 0.0 else 0.0
            next_one = (knots[i + p + 1] - x) / right * values[:, i + 1] if right > 0.0 else 0.0
            values[:, i] = own + next_one
    return values[:, :last + 1]
