"""The problem on the interior of a body: matrices over the ranks, prescribed dofs, border.

A body has three dofs at each node. Nodes are distributed over the ranks by recursive bisection of their
coordinates and numbered anew, so that each rank has a compact part of the body. Dofs of interface nodes, of
rigid markers and of supports are *prescribed*: their rows and columns of K and M are replaced by the
diagonal, which decouples them. Means of sets, W u = g, and the three nodes that hold the body where only
means do, are a *border* that is eliminated with a small dense matrix.
"""

import os

import numpy as np
from petsc4py import PETSc

from archive import Refused, read_archive

KIND = "carom-interior-problem"
MAT_FILE_CLASSID = 1211216


def bisected(points, n_parts):
    """The nodes of each part: halves by number along the longest side, again and again."""
    parts, wanted = [np.arange(len(points))], [n_parts]
    while any(n > 1 for n in wanted):
        new_parts, new_wanted = [], []
        for part, n in zip(parts, wanted):
            if n == 1:
                new_parts.append(part)
                new_wanted.append(1)
                continue
            places = points[part]
            axis = int(np.argmax(np.ptp(places, axis=0))) if len(part) else 0
            n_left = n // 2
            cut = len(part) * n_left // n
            order = np.argpartition(places[:, axis], min(cut, len(part) - 1)) if len(part) else part
            new_parts += [np.sort(part[order[:cut]]), np.sort(part[order[cut:]])]
            new_wanted += [n_left, n - n_left]
        parts, wanted = new_parts, new_wanted
    return parts


def three(nodes):
    """The dofs of nodes."""
    return (3 * np.asarray(nodes, np.int64)[:, None] + np.arange(3)).ravel()


class Nodes:
    """The distribution of the nodes: `new[old]` is the number of a node in vectors and matrices."""

    def __init__(self, points, comm):
        self.comm, self.n = comm, len(points)
        parts = bisected(points, comm.getSize())
        self.order = np.concatenate(parts)
        self.new = np.empty(self.n, np.int64)
        self.new[self.order] = np.arange(self.n)
        ends = np.cumsum([len(part) for part in parts])
        rank = comm.getRank()
        self.own = parts[rank]
        self.first = int(ends[rank] - len(self.own))
        self.counts = [len(part) for part in parts]

    @property
    def sizes(self):
        """Local and global number of dofs."""
        return 3 * len(self.own), 3 * self.n

    def rows(self, dofs):
        """Local rows of those dofs, in the numbers of the problem, that this rank owns; their places."""
        dofs = np.asarray(dofs, np.int64)
        rows = 3 * self.new[dofs // 3] + dofs % 3 - 3 * self.first
        places = np.flatnonzero((rows >= 0) & (rows < 3 * len(self.own)))
        return rows[places], places

    def read(self, path, width):
        """A matrix in a binary file of PETSc, each rank the rows of its nodes.

        The file is read with NumPy: its integers have 32 bits, and those of this PETSc may have 64.

        * `width` -- entries of a row of a block: 3 of the stiffness, 1 of the mass
        """
        n = 3 * self.n
        try:
            header = np.fromfile(path, ">i4", 4)
            size = os.path.getsize(path)
        except OSError as error:
            raise Refused(f"cannot read `{path}`: {error}") from error
        if len(header) < 4 or header[0] != MAT_FILE_CLASSID or header[1] != n or header[2] != n:
            raise Refused(f"`{path}` is not a matrix of {n} dofs: export the body again")
        counts = np.memmap(path, ">i4", "r", 16, (n,))
        per_node = np.asarray(counts[::3], np.int64)
        starts = np.concatenate([[0], np.cumsum(3 * per_node)])
        if size != 16 + 4 * n + 12 * starts[-1]:
            raise Refused(f"`{path}` has {size} bytes, its entries need {16 + 4 * n + 12 * starts[-1]}: "
                          "export the body again")
        columns = np.memmap(path, ">i4", "r", 16 + 4 * n, (starts[-1],))
        values = np.memmap(path, ">f8", "r", 16 + 4 * n + 4 * starts[-1], (starts[-1],))
        lengths = np.repeat(per_node[self.own], 3)
        pointers = np.concatenate([[0], np.cumsum(lengths)])
        own_columns = np.empty(pointers[-1], PETSc.IntType)
        own_values = np.empty(pointers[-1])
        # Runs of successive nodes are read at once, and not too many at a time.
        breaks = np.flatnonzero(np.diff(self.own) != 1) + 1
        at = 0
        for run in np.split(self.own, breaks):
            for piece in np.array_split(run, len(run) // 100_000 + 1):
                if not len(piece):
                    continue
                entries = slice(int(starts[piece[0]]), int(starts[piece[-1] + 1]))
                length = entries.stop - entries.start
                old = np.asarray(columns[entries], np.int64)
                own_columns[at:at + length] = 3 * self.new[old // 3] + old % 3
                own_values[at:at + length] = values[entries]
                at += length
        matrix = PETSc.Mat().create(self.comm)
        matrix.setSizes((self.sizes, self.sizes), bsize=3)
        matrix.setType(PETSc.Mat.Type.AIJ)
        matrix.setPreallocationCSR((pointers.astype(PETSc.IntType), own_columns, own_values))
        matrix.assemble()
        return matrix


class Problem:
    """Matrices, prescribed dofs and border of a body."""

    def __init__(self, name, comm):
        self.comm = comm
        self.arrays = read_archive(f"{name}.problem.npz", KIND)
        arrays = self.arrays
        self.n_nodes = len(arrays["points"])
        self.nodes = Nodes(arrays["points"], comm)
        self.markers = self._markers()
        self.interface = np.asarray(arrays["interface_node"], np.int64)
        self.n_boundary = 3 * len(self.interface) + 6 * len(self.markers)
        if not self.n_boundary:
            raise Refused(f"`{name}.problem.npz` has no interface and no marker: give --interface, "
                          "--interface-nodes or --attach to `carom-reduce export`")
        self.interface_dofs = three(self.interface)
        rigid = [three(marker["nodes"]) for marker in self.markers if marker["is_rigid"]]
        self.pins = np.setdiff1d(three(arrays["pinned_node"]), arrays["held_dof"])
        self.means = [marker for marker in self.markers if not marker["is_rigid"]]
        held = np.asarray(arrays["held_dof"], np.int64)
        self.prescribed = np.concatenate([self.interface_dofs, held, *rigid])
        self.stiffness = self.nodes.read(f"{name}.K.petsc", 3)
        self.mass = self.nodes.read(f"{name}.M.petsc", 1)

    def _markers(self):
        arrays, markers, first = self.arrays, [], 0
        for i, n in enumerate(np.asarray(arrays["marker_n_nodes"], np.int64)):
            rows = slice(3 * first, 3 * (first + n))
            markers.append({
                "nodes": np.asarray(arrays["marker_node"][first:first + n], np.int64),
                "is_rigid": bool(arrays["marker_is_rigid"][i]),
                "rigid": arrays["marker_rigid"][rows], "mean": arrays["marker_mean"][rows],
            })
            first += n
        return markers

    def zeros(self, n_columns):
        """Local rows of fields."""
        return np.zeros((self.nodes.sizes[0], n_columns), order="F")

    def vector(self, column=None):
        """A vector over all ranks, with the values of a local column or its memory."""
        if column is None:
            return PETSc.Vec().createMPI(self.nodes.sizes, bsize=3, comm=self.comm)
        return PETSc.Vec().createWithArray(column, self.nodes.sizes, bsize=3, comm=self.comm)

    def spread(self, marker, values):
        """A field over the nodes of a marker, 3n x 6, as local rows."""
        field = self.zeros(values.shape[1])
        rows, places = self.nodes.rows(three(marker["nodes"]))
        field[rows] = values[places]
        return field

    def units(self, dofs):
        """Unit displacements of dofs, local rows."""
        field = self.zeros(len(dofs))
        rows, places = self.nodes.rows(dofs)
        field[rows, places] = 1.0
        return field

    def motions(self):
        """Displacements that the boundary prescribes, local rows x boundary dofs."""
        fields = [self.units(self.interface_dofs)]
        for marker in self.markers:
            fields.append(self.spread(marker, marker["rigid"]) if marker["is_rigid"] else self.zeros(6))
        return np.asfortranarray(np.hstack(fields))

    def sums(self):
        """Values of the means for unit boundary dofs, constraints x boundary dofs."""
        sums, row = np.zeros((6 * len(self.means), self.n_boundary)), 0
        for i, marker in enumerate(self.markers):
            if not marker["is_rigid"]:
                first = 3 * len(self.interface) + 6 * i
                sums[row:row + 6, first:first + 6] = np.eye(6)
                row += 6
        return sums

    def clear(self, field, dofs):
        """Sets rows to zero."""
        field[self.nodes.rows(dofs)[0]] = 0.0
        return field

    def product(self, matrix, fields):
        """Matrix times fields, local rows, column by column."""
        result = self.zeros(fields.shape[1])
        y = self.vector()
        for k in range(fields.shape[1]):
            x = self.vector(np.ascontiguousarray(fields[:, k]))
            matrix.mult(x, y)
            result[:, k] = y.getArray(readonly=True)
            x.destroy()
        return result

    def decoupled(self, matrix, dofs):
        """Replaces rows and columns of dofs by their diagonal, in place."""
        diagonal = matrix.getDiagonal()
        rows, _ = self.nodes.rows(dofs)
        matrix.setOption(PETSc.Mat.Option.NEW_NONZERO_LOCATION_ERR, False)
        matrix.zeroRowsColumns((rows + 3 * self.nodes.first).astype(PETSc.IntType), 1.0)
        matrix.setDiagonal(diagonal)
        for option in (PETSc.Mat.Option.SYMMETRIC, PETSc.Mat.Option.SPD):
            matrix.setOption(option, True)
        return matrix

    def rigid_motions(self, dofs):
        """Near null space of multigrid: rigid motions, zero at dofs, orthonormal."""
        points = self.arrays["points"][self.nodes.own]
        points = points - self.arrays["points"].mean(axis=0)
        x, y, z = points.T
        zero = np.zeros_like(x)
        turns = [(zero, -z, y), (z, zero, -x), (-y, x, zero)]
        fields = np.asfortranarray(np.hstack([
            np.tile(np.eye(3), (len(points), 1)),
            np.stack([np.stack(turn, axis=1).ravel() for turn in turns], axis=1),
        ]))
        self.clear(fields, dofs)
        upper = np.linalg.cholesky(self.gram(fields, fields)).T
        fields = np.asfortranarray(np.linalg.solve(upper.T, fields.T).T)
        vectors = [self.vector(np.ascontiguousarray(fields[:, k])) for k in range(6)]
        return PETSc.NullSpace().create(vectors=vectors, comm=self.comm)

    def gram(self, a, b):
        """Products of fields, summed over the ranks."""
        return self.comm.tompi4py().allreduce(a.T @ b)

    def gathered(self, field):
        """Columns of a field at rank 0, in the order of the problem; None at the other ranks."""
        comm = self.comm.tompi4py()
        counts = 3 * np.array(self.nodes.counts)
        for k in range(field.shape[1]):
            whole = np.empty(3 * self.n_nodes) if comm.rank == 0 else None
            comm.Gatherv(np.ascontiguousarray(field[:, k]), (whole, counts) if comm.rank == 0 else None)
            if comm.rank == 0:
                column = np.empty((self.n_nodes, 3))
                column[self.nodes.order] = whole.reshape(-1, 3)
                yield column.ravel()
            else:
                yield None
