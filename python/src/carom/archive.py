"""Bodies and reduced models: NumPy archives with a format, a version and a checksum (docs/files.md)."""

import hashlib
import zipfile

import numpy as np
from numpy.lib import format as npy

from .errors import CaromError

#: VTK's cell types of the kinds of cells; the order of nodes is VTK's as well.
VTK_CELLS = {
    "tet4": 10, "tet10": 24, "hex8": 12, "hex20": 25, "hex27": 29, "wedge6": 13, "wedge15": 26,
    "pyramid5": 14, "pyramid13": 27, "tri3": 5, "quad4": 9, "line2": 3,
}


class Archive:
    """The arrays of an archive by their names: `archive["points"]`, `"hz" in archive`, `list(archive)`.

    `version` is a pair of numbers, `checksum` that of the file, empty if it has none.
    """

    #: Kind of the file and the largest major version that is read.
    FORMAT, MAJOR = None, 1

    def __init__(self, path, check=True):
        self.path = str(path)
        try:
            with np.load(path, allow_pickle=False) as archive:
                self._arrays = {name: archive[name] for name in archive.files}
        except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
            raise CaromError(f"cannot read `{path}`: {error}") from error
        found = str(self._arrays.get("format", "none"))
        if found != self.FORMAT:
            raise CaromError(f"`{path}` has the format `{found}`, `{self.FORMAT}` was expected")
        self.version = tuple(int(part) for part in str(self["version"]).split("."))
        if self.version[0] > self.MAJOR:
            raise CaromError(
                f"`{path}` has version {self['version']}, and this package reads versions {self.MAJOR}.x: "
                f"install that of the release that wrote it ({self['program']})")
        self.checksum = str(self._arrays.get("checksum", ""))
        if check and self.checksum and self.checksum != self._computed_checksum():
            raise CaromError(
                f"`{path}` is damaged or was changed: its checksum is wrong; `check=False` reads it, and an "
                "archive without the array `checksum` is not checked")

    def __getitem__(self, name):
        try:
            return self._arrays[name]
        except KeyError:
            raise CaromError(f"`{self.path}` has no array `{name}`") from None

    def __contains__(self, name):
        return name in self._arrays

    def __iter__(self):
        return iter(self._arrays)

    def __len__(self):
        return len(self._arrays)

    @property
    def name(self):
        """Name of the body."""
        return str(self["name"])

    def _computed_checksum(self):
        """SHA-256 over the lines `name sha256` of all arrays; that of an array is over a line and its bytes."""
        whole = hashlib.sha256()
        with zipfile.ZipFile(self.path) as archive:
            for name in sorted(self._arrays):
                if name != "checksum":
                    with archive.open(f"{name}.npy") as file:
                        whole.update(f"{name} {_digest(file)}\n".encode())
        return whole.hexdigest()


def _digest(file):
    """SHA-256 of the line `type fortran_order shape` and the bytes of an array as its file has them."""
    version = npy.read_magic(file)
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, is_fortran, kind = read(file)
    line = f"{npy.dtype_to_descr(kind)} {str(is_fortran).lower()} {list(shape)}\n"
    digest = hashlib.sha256(line.encode())
    for piece in iter(lambda: file.read(1 << 20), b""):
        digest.update(piece)
    return digest.hexdigest()


class Body(Archive):
    """A body file: its geometry, sets and materials."""

    FORMAT = "carom-body"

    @property
    def is_nurbs(self):
        """True for patches of NURBS, false for a mesh."""
        return str(self["geometry"]) == "nurbs"

    @property
    def n_points(self):
        """Number of nodes, or of control points after gluing."""
        return int(self["n_points"]) if self.is_nurbs else len(self["points"])

    @property
    def points(self):
        """Nodes, or control points in the numbers of the glued body, n x 3 [m], source coordinates."""
        if not self.is_nurbs:
            return self["points"]
        points = np.full((self.n_points, 3), np.nan)
        for patch in self.patches():
            points[patch["ids"]] = patch["points"]
        return points

    def cells(self):
        """Blocks of a mesh: pairs of a kind, such as `tet10`, and its nodes, cells x nodes in VTK's order."""
        if self.is_nurbs:
            raise CaromError(f"`{self.path}` has patches of NURBS and no cells: see `patches`")
        return [(str(kind), self[f"block_{i}_cells"]) for i, kind in enumerate(self["block_shape"])]

    def patches(self):
        """NURBS patches: degrees, knots, points, weights and ids; the first parameter runs fastest."""
        if not self.is_nurbs:
            raise CaromError(f"`{self.path}` is a mesh and has no patches: see `cells`")
        if "hierarchy_n_levels" in self:
            raise CaromError(
                f"`{self.path}` is refined locally, which this package does not evaluate; `carom-post export` "
                "writes its grids, and pyvista reads them")
        return [{
            "degrees": [int(degree) for degree in self[f"patch_{i}_degrees"]],
            "knots": [self[f"patch_{i}_knots_{d}"] for d in range(3)],
            "points": self[f"patch_{i}_points"],
            "weights": self[f"patch_{i}_weights"],
            "ids": self[f"patch_{i}_point_ids"],
        } for i in range(int(self["n_patches"]))]


class Model(Archive):
    """A reduced model: mass-normalised modes, their frequencies and the invariants of the floating frame."""

    FORMAT = "carom-rom"

    @property
    def frequencies(self):
        """Of all modes [Hz]."""
        return self["omega"] / (2 * np.pi)

    @property
    def n_low(self):
        """Number of the dynamic modes, which come first."""
        return int(self["n_low"])

    def displacement(self, q):
        """Displacement of the points of pictures, rows of `fields_points`, n x 3 [m], axes of the body.

        * `q`: coordinates of the first modes [m √kg]; missing ones count as zero
        """
        q = np.asarray(q)
        return (self["fields_modes"][:, :len(q)] @ q).reshape(-1, 3)


def open_body(path, check=True):
    """Opens a body file. `check=False` reads one whose checksum is wrong."""
    return Body(path, check)


def open_model(path, check=True):
    """Opens a reduced model. `check=False` reads one whose checksum is wrong."""
    return Model(path, check)
