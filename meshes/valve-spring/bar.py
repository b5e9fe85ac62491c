"""The valve of cam-contact.toml as a mass on Hertz' spring and a bar: python3 bar.py forces.csv

The table of forces comes from carom-post table RESULT --what contact-force --csv. The script needs NumPy.
"""

import csv
import math
import sys

import numpy as np

SPEED, RAMP = 72.0, 0.005  # of the cam [1/s], time constant of its run-up [s]
STIFFNESS, MASS, DAMPING = 2.0e4, 0.06, 2.0e-5  # of the spring [N/m], [kg], [s]
VALVE, PRELOAD = 7800 * math.pi * 0.004**2 * 0.1, 100.0  # [kg], [N]
R, RHO = 0.008, 0.03  # radius of the ball, distance of its centre from the axis at no lift [m]
MODULUS = 1 / ((1 - 0.39**2) / 1.2e9 + (1 - 0.3**2) / 210e9)  # of both materials in contact [Pa]
ELEMENTS, STEP = 24, 1.0e-6


def modes():
    """Squares of the frequencies of valve and bar, whose end is held, up to 8 kHz; modes at the valve."""
    mass, stiffness = np.zeros((2, ELEMENTS + 1, ELEMENTS + 1))
    for i in range(ELEMENTS):
        mass[i : i + 2, i : i + 2] += MASS / ELEMENTS / 6 * np.array([[2, 1], [1, 2]])
        stiffness[i : i + 2, i : i + 2] += STIFFNESS * ELEMENTS * np.array([[1, -1], [-1, 1]])
    mass[0, 0] += VALVE
    inverse = np.linalg.inv(np.linalg.cholesky(mass[:-1, :-1]))
    squares, vectors = np.linalg.eigh(inverse @ stiffness[:-1, :-1] @ inverse.T)
    kept = squares < (2 * math.pi * 8.0e3) ** 2
    return squares[kept], (inverse.T @ vectors)[0, kept]


def contact(time, x):
    """Force of the cam on the ball whose centre is lifted by x, and its part along the valve."""
    a = 2 * math.pi * SPEED * (time - RAMP * math.tanh(time / RAMP))
    rho = RHO + 0.004 * (1 - math.cos(a)) + 0.0002 * (1 - math.cos(4 * a))
    slope = 0.004 * math.sin(a) + 0.0008 * math.sin(4 * a)
    second = 0.004 * math.cos(a) + 0.0032 * math.cos(4 * a)
    way = math.hypot(rho, slope)
    # The profile lies R inside of the path of the centre of the ball.
    profile = way**3 / (rho**2 + 2 * slope**2 - rho * second) - R
    approach = (rho - RHO - x) * rho / way
    # Hertz' spring of a slightly elliptic contact, by the geometric mean of the curvatures of the gap.
    radius = (1 / R * (1 / R + 1 / profile)) ** -0.5
    force = 4 / 3 * MODULUS * math.sqrt(radius) * max(approach, 0.0) ** 1.5
    return force, force * rho / way


def forces(end):
    """Force of the cam at multiples of 0.1 ms."""
    squares, at_valve = modes()
    # As in the model of carom, modes above 2 kHz have no damping.
    damping = DAMPING * squares * (squares < (2 * math.pi * 2.0e3) ** 2)

    def rate(time, y):
        q, v = y
        u = min(time / 0.005, 1.0)
        preload = PRELOAD * u**3 * (10 - 15 * u + 6 * u * u)
        load = contact(time, at_valve @ q)[1] - preload
        return np.array([v, at_valve * load - squares * q - damping * v])

    y, found, every = np.zeros((2, len(squares))), [], round(1.0e-4 / STEP)
    for i in range(round(end / STEP) + 1):
        time = i * STEP
        if i % every == 0:
            found.append(contact(time, at_valve @ y[0])[0])
        k1 = rate(time, y)
        k2 = rate(time + STEP / 2, y + STEP / 2 * k1)
        k3 = rate(time + STEP / 2, y + STEP / 2 * k2)
        k4 = rate(time + STEP, y + STEP * k3)
        y = y + STEP / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return np.array(found)


def lifted(force):
    """Times of the first and last frame without force [ms], from 10 ms on."""
    frames = [i / 10 for i, f in enumerate(force) if f <= 0.0 and i > 100]
    return (frames[0], frames[-1]) if frames else None


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        rows = list(csv.reader(file))[1:]
    time, force = np.array([[float(x) for x in row[:2]] for row in rows]).T
    expected = forces(time[-1])
    # The result has more frames in contact; those of the table are compared at multiples of 0.1 ms.
    found = np.interp(1.0e-4 * np.arange(len(expected)), time, force)
    print(f"without force: carom {lifted(found)} ms, bar {lifted(expected)} ms")
    for low, high in ((0, 20), (20, 30), (30, 45), (45, 52)):
        part = slice(10 * low, 10 * high)
        ranges = [f"{f[part].min():.1f} to {f[part].max():.1f} N" for f in (found, expected)]
        off = abs(found - expected)[part].max()
        print(f"{low} to {high} ms: carom {ranges[0]}, bar {ranges[1]}, off by {off:.2f} N")


if __name__ == "__main__":
    main()
