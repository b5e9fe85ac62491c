"""Results: SQLite databases with frames, impacts, energies and probes (docs/files.md)."""

import sqlite3
from pathlib import Path

import numpy as np

from . import grids, tables
from .archive import open_body, open_model
from .errors import CaromError

#: The largest version of each major number that this package knows.
MAJOR = 2


class Frame:
    """State of a body at a time, as read-only attributes.

    * `position`: origin of the body frame [m]
    * `rotation`: 3 x 3, from body to inertial axes
    * `velocity`, `angular_velocity`: of the centre of mass [m/s], [rad/s], inertial axes
    * `modal`: coordinates of the modes, or displacements of all points of an unreduced body
    * `modal_rate`: rates of the dynamic modes, or of those displacements
    """

    def __init__(self, position, quaternion, velocity, angular_velocity, modal, modal_rate):
        self.position, self.quaternion = np.array(position), np.array(quaternion)
        self.velocity, self.angular_velocity = np.array(velocity), np.array(angular_velocity)
        self.modal, self.modal_rate = modal, modal_rate

    @property
    def rotation(self):
        w, x, y, z = self.quaternion
        return np.array([
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ])


class BodyOfRun:
    """An entry of a body in a result: name, mass, numbers of modes, files."""

    def __init__(self, row):
        self.name, self.mass = row["name"], row["mass"]
        self.is_rigid, self.is_fixed = bool(row["rigid"]), bool(row["fixed"])
        self.origin = np.array([row["origin_x"], row["origin_y"], row["origin_z"]])
        self.n_modes, self.n_low = row["modes"], row["low_modes"]
        self.model_path, self.model_checksum = row["rom_path"], row["rom_checksum"]
        self.body_path, self.body_checksum = row["body_path"], row["body_checksum"]

    @property
    def is_unreduced(self):
        """True of a flexible body without a model: its coordinates are displacements of its points."""
        return not self.is_rigid and not self.model_path and self.n_modes > 0


class Result:
    """A result, opened for reading; usable in a `with` statement."""

    def __init__(self, path):
        self.path = Path(path)
        if not self.path.is_file():
            raise CaromError(f"there is no result `{path}`")
        try:
            self._db = sqlite3.connect(f"{self.path.resolve().as_uri()}?mode=ro", uri=True)
            self._db.row_factory = sqlite3.Row
            self.meta = dict(self.query("SELECT key, value FROM meta"))
        except sqlite3.Error as error:
            raise CaromError(f"`{path}` is not a result of carom: {error}") from error
        if self.meta.get("format") != "carom-result":
            raise CaromError(f"`{path}` is not a result of carom")
        if int(self.meta["version"].split(".")[0]) > MAJOR:
            raise CaromError(
                f"`{path}` has version {self.meta['version']}, and this package reads versions up to {MAJOR}.x: "
                f"install that of the release that wrote it ({self.meta.get('program')})")
        self.bodies = [BodyOfRun(row) for row in self.query("SELECT * FROM body ORDER BY id")]
        self.pairs = [row["name"] for row in self.query("SELECT name FROM contact_pair ORDER BY id")]
        self.times = np.array([row[0] for row in self.query("SELECT time FROM frame ORDER BY id")])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Closes the file."""
        self._db.close()

    def query(self, sql, values=()):
        """Rows of an SQL query; `row["name"]` is a value."""
        return self._db.execute(sql, values).fetchall()

    def has_table(self, name):
        """True if the result has a table: results of earlier releases lack some."""
        return bool(self.query("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", (name,)))

    @property
    def state(self):
        """`done`, `running`, `interrupted` or `failed`."""
        return self.meta["state"]

    @property
    def scenario(self):
        """The scenario with all defaults, as TOML."""
        return self.meta["scenario"]

    def body_index(self, body):
        """Number of a body that is given by its name, its number or its entry in `bodies`."""
        names = [entry.name for entry in self.bodies]
        if isinstance(body, BodyOfRun):
            body = body.name
        if isinstance(body, str):
            if body not in names:
                raise CaromError(f"`{self.path}` has no body `{body}`; it has {', '.join(names)}")
            return names.index(body)
        try:
            return range(len(names))[body]
        except IndexError:
            raise CaromError(f"`{self.path}` has {len(names)} bodies, and no body {body}") from None

    def frame(self, body, frame):
        """State of a body in a frame, as a `Frame`. Negative numbers count from the last frame."""
        body, frame = self.body_index(body), self._frame_number(frame)
        row = self.query("SELECT * FROM body_frame WHERE frame = ? AND body = ?", (frame, body))[0]
        unpack = self._unpacked if self._is_packed(body) else lambda blob: np.frombuffer(blob, "<f8")
        return Frame(
            [row[key] for key in ("x", "y", "z")], [row[key] for key in ("q0", "q1", "q2", "q3")],
            [row[key] for key in ("vx", "vy", "vz")], [row[key] for key in ("wx", "wy", "wz")],
            unpack(row["modal"]), unpack(row["modal_rate"]))

    def _frame_number(self, frame):
        try:
            return range(len(self.times))[frame]
        except IndexError:
            raise CaromError(f"`{self.path}` has {len(self.times)} frames, and no frame {frame}") from None

    def frame_at(self, time):
        """Number of the frame that is nearest to a time [s]."""
        return int(np.argmin(np.abs(self.times - time)))

    def _is_packed(self, body):
        return self.meta.get("frame_precision") == "single" and self.bodies[body].is_unreduced

    @staticmethod
    def _unpacked(blob):
        """Vectors of points in single precision: their mean as doubles, then the deviations from it."""
        if not blob:
            return np.zeros(0)
        mean, rest = np.frombuffer(blob[:24], "<f8"), np.frombuffer(blob[24:], "<f4")
        return (mean + rest.reshape(-1, 3).astype(float)).ravel()

    def course(self, body, key):
        """A column of all frames of a body: `position`, `velocity`, `angular_velocity`, `modal`, …"""
        return np.array([getattr(self.frame(body, n), key) for n in range(len(self.times))])

    def body(self, body):
        """The body file of a body, searched as the programs do; its checksum must be that of the run."""
        entry = self.bodies[self.body_index(body)]
        return self._opened(open_body, entry.body_path, entry.body_checksum, f"body `{entry.name}`")

    def model(self, body):
        """The reduced model of a body."""
        entry = self.bodies[self.body_index(body)]
        if not entry.model_path:
            raise CaromError(f"body `{entry.name}` of `{self.path}` is not reduced and has no model")
        return self._opened(open_model, entry.model_path, entry.model_checksum, f"model of `{entry.name}`")

    def _opened(self, opens, recorded, checksum, what):
        name, folder = Path(recorded).name, self.path.parent
        places = [Path(recorded), folder / name, folder / "bodies" / name]
        found = next((place for place in places if recorded and place.is_file()), None)
        if found is None:
            raise CaromError(
                f"{what} of `{self.path}`: its file `{recorded}` is missing, also in the folder of the result")
        archive = opens(found)
        if checksum and archive.checksum != checksum:
            raise CaromError(f"{what}: `{found}` is not the file that the run used; run the scenario again")
        return archive

    def grid(self, body, frame=-1):
        """A body in a frame as a pyvista grid, see `grids.grid`."""
        return grids.grid(self, self.body_index(body), self._frame_number(frame))

    def contacts(self):
        """One row per impact, as `carom-post table --what contacts`."""
        return tables.contacts(self)

    def ledger(self):
        """Energies, momenta and residuals over time, one row per frame."""
        return tables.ledger(self)

    def contact_forces(self):
        """Normal force of each pair over time, as `carom-post table --what contact-force`."""
        return tables.contact_forces(self)

    def joints(self):
        """Forces and torques of joints, springs and bushings, as `carom-post table --what joints`."""
        return tables.joints(self)

    def probes(self):
        """Samples of probes, as `carom-post table --what probes`."""
        return tables.probes(self)

    def timing(self):
        """Seconds of all phases and counters of the run, as a dictionary."""
        found = {row[0]: row[1] for row in self.query("SELECT phase, seconds FROM timing")}
        found.update({row[0]: row[1] for row in self.query("SELECT name, value FROM counter")})
        return found

    def warnings(self):
        """The warnings of the run."""
        rows = self.query("SELECT text FROM note WHERE level = 'warning' ORDER BY id")
        return [row[0] for row in rows]


def open_result(path):
    """Opens a result, or the `result.carom` in a folder of `carom run`."""
    path = Path(path)
    return Result(path / "result.carom" if path.is_dir() else path)
