"""Writes the cam of cam-contact.toml as an exact solid: python3 cam.py > cam.xml (needs NumPy).

The script of meshes/cam makes the spline, here through 64 points of the profile that lifts the centre of a
ball by s(a) = 4 mm (1 - cos a) + 0.2 mm (1 - cos 4a).
"""

import importlib.util
import pathlib

import numpy as np

FOLDER = pathlib.Path(__file__).resolve().parent
spec = importlib.util.spec_from_file_location("disc", FOLDER.parent / "cam" / "cam.py")
disc = importlib.util.module_from_spec(spec)
spec.loader.exec_module(disc)

R = 0.008  # radius of the ball [m]
RHO = 0.03  # distance of its centre from the axis of the cam at no lift [m]


def profile(a):
    """Points of the profile; the ball is above the axis at a = 0 and the cam turns against it."""
    rho = RHO + 0.004 * (1 - np.cos(a)) + 0.0002 * (1 - np.cos(4 * a))
    slope = 0.004 * np.sin(a) + 0.0008 * np.sin(4 * a)
    radial, along = np.array([-np.sin(a), np.cos(a)]), np.array([-np.cos(a), -np.sin(a)])
    tangent = slope * radial + rho * along
    normal = np.array([tangent[1], -tangent[0]]) / np.hypot(*tangent)
    return (rho * radial - R * normal).T


if __name__ == "__main__":
    disc.N, disc.profile = 64, profile
    disc.ANGLES = 2 * np.pi * np.arange(disc.N) / disc.N
    disc.main()
