"""NumPy archives of carom with format, version and checksum, read whole and written column by column."""

import hashlib
import os
import tempfile
import zipfile

import numpy as np
from numpy.lib import format as npy


class Refused(Exception):
    """An error of the input: the message names the place and the remedy."""


def read_archive(path, kind, major=1):
    """The arrays of an archive; refuses other kinds, newer versions and wrong checksums."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise Refused(f"cannot read `{path}`: {error}") from error
    found = str(arrays.get("format", "none"))
    if found != kind:
        raise Refused(f"`{path}` has the format `{found}`, `{kind}` is required")
    version = str(arrays["version"])
    if int(version.split(".")[0]) > major:
        raise Refused(f"`{path}` has version {version}, versions {major}.x are read: use the scripts of the "
                      f"release that wrote it ({arrays.get('program', 'unknown')})")
    if str(arrays.get("checksum", "")) != checksum(path, arrays):
        raise Refused(f"`{path}` is damaged or was changed: its checksum is wrong; export the body again")
    return arrays


def checksum(path, names):
    """SHA-256 over the lines `name sha256` of all arrays but the checksum."""
    digests = []
    with zipfile.ZipFile(path) as archive:
        for name in names:
            if name == "checksum":
                continue
            with archive.open(f"{name}.npy") as file:
                is_first = npy.read_magic(file) == (1, 0)
                read = npy.read_array_header_1_0 if is_first else npy.read_array_header_2_0
                shape, is_fortran, kind = read(file)
                digest = _begin(npy.dtype_to_descr(kind), is_fortran, shape)
                for piece in iter(lambda: file.read(1 << 20), b""):
                    digest.update(piece)
            digests.append((name, digest.hexdigest()))
    return _combined(digests)


def _begin(kind, is_fortran, shape):
    line = f"{kind} {str(bool(is_fortran)).lower()} {[int(n) for n in shape]}\n"
    return hashlib.sha256(line.encode())


def _combined(digests):
    whole = hashlib.sha256()
    for name, digest in sorted(digests):
        whole.update(f"{name} {digest}\n".encode())
    return whole.hexdigest()


class Writer:
    """Writes an archive under a temporary name and renames it when it is complete.

        with Writer("a.npz", "carom-interior-solutions", "1.0") as archive:
            archive.array("hz", hz)
            archive.columns("modes", n_rows, n_columns, columns)
    """

    def __init__(self, path, kind, version):
        self._path, self._digests = path, []
        folder = os.path.dirname(os.path.abspath(path))
        self._file = tempfile.NamedTemporaryFile(dir=folder, prefix=".interior-", suffix=".tmp", delete=False)
        self._zip = zipfile.ZipFile(self._file, "w", zipfile.ZIP_STORED)
        self.array("format", kind)
        self.array("version", version)

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if error is None:
            self.array("checksum", _combined(self._digests))
            self._zip.close()
            self._file.flush()
            os.fsync(self._file.fileno())
            # The permissions of a new file, which a temporary one does not have.
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(self._file.name, 0o666 & ~mask)
            os.replace(self._file.name, self._path)
        self._file.close()
        if os.path.exists(self._file.name):
            os.remove(self._file.name)

    def array(self, name, values):
        """A text, a list of texts, or numbers."""
        values = np.asarray(values)
        if values.dtype.kind in "iu":
            values = values.astype("<u8" if values.ndim == 0 else "<u4")
        elif values.dtype.kind == "f":
            values = values.astype("<f8")
        elif values.size == 0:
            values = values.astype("<U1")
        self._write(name, values.dtype, False, values.shape, [np.ascontiguousarray(values).tobytes()])

    def columns(self, name, n_rows, n_columns, columns):
        """A matrix of doubles in Fortran order from an iterator of its columns."""
        pieces = (np.ascontiguousarray(column, "<f8").tobytes() for column in columns)
        self._write(name, np.dtype("<f8"), True, (n_rows, n_columns), pieces)

    def _write(self, name, kind, is_fortran, shape, pieces):
        descr = npy.dtype_to_descr(kind)
        digest, n_bytes = _begin(descr, is_fortran, shape), 0
        header = {"descr": descr, "fortran_order": is_fortran, "shape": tuple(int(n) for n in shape)}
        with self._zip.open(zipfile.ZipInfo(f"{name}.npy"), "w", force_zip64=True) as entry:
            npy.write_array_header_1_0(entry, header)
            for piece in pieces:
                digest.update(piece)
                entry.write(piece)
                n_bytes += len(piece)
        expected = int(np.prod(shape, dtype=np.int64)) * kind.itemsize
        if n_bytes != expected:
            raise AssertionError(f"array `{name}` has {n_bytes} bytes instead of {expected}")
        if name != "checksum":
            self._digests.append((name, digest.hexdigest()))
