"""Writes two involute gears: the teeth of the wheel as exact solids (wheel.xml), and a scenario on standard output.

    python3 gears.py > scenario.toml

The flanks of the wheel are splines through involutes, those of the pinion are points on involutes, which touch them.
"""

import math
import os

MODULE, PRESSURE = 0.002, math.radians(20.0)
TEETH = (20, 30)  # of pinion and wheel
WIDTH = 0.01
PLAY = 1.0e-4  # by which each flank of the wheel is set back [rad]
GAP = 1.0e-7  # between the flanks that drive at the start [rad]
SPEED, TORQUE = 10.0, 20.0  # of the pinion [rad/s], brake of the wheel [N m]
DEGREE, POINTS = 6, 40  # of a flank of the wheel; points on a flank of the pinion


def radii(teeth):
    """Pitch, base and tip radius."""
    pitch = 0.5 * MODULE * teeth
    return pitch, pitch * math.cos(PRESSURE), pitch + MODULE


def flank(teeth, roll, back=0.0):
    """A point of the flank on the counter-clockwise side of a tooth at the angle 0, at a roll angle."""
    _, base, _ = radii(teeth)
    start = math.pi / (2 * teeth) + math.tan(PRESSURE) - PRESSURE - back
    angle = start - roll
    return (base * (math.cos(angle) - roll * math.sin(angle)), base * (math.sin(angle) + roll * math.cos(angle)))


def rolls(teeth, other):
    """Roll angles of the flank where the tip of the other gear touches it, and at its own tip."""
    _, base, tip = radii(teeth)
    _, base_2, tip_2 = radii(other)
    reach = (base + base_2) * math.tan(PRESSURE) - math.sqrt(tip_2**2 - base_2**2)
    return reach / base, math.sqrt((tip / base) ** 2 - 1.0)


def solve(matrix, values):
    """Gauss elimination with pivots."""
    rows = [list(row) + list(value) for row, value in zip(matrix, values)]
    n = len(rows)
    for i in range(n):
        k = max(range(i, n), key=lambda k: abs(rows[k][i]))
        rows[i], rows[k] = rows[k], rows[i]
        for k in range(n):
            if k != i:
                factor = rows[k][i] / rows[i][i]
                rows[k] = [a - factor * b for a, b in zip(rows[k], rows[i])]
    return [[x / rows[i][i] for x in rows[i][n:]] for i in range(n)]


def bezier(points):
    """Control points of the polynomial through points at the zeros of Chebyshev's polynomial and at both ends."""
    n = len(points) - 1
    at = [0.5 - 0.5 * math.cos(math.pi * i / n) for i in range(n + 1)]
    matrix = [[math.comb(n, k) * u**k * (1 - u) ** (n - k) for k in range(n + 1)] for u in at]
    return solve(matrix, points)


def turned(point, angle):
    x, y = point
    return (x * math.cos(angle) - y * math.sin(angle), x * math.sin(angle) + y * math.cos(angle))


def write_wheel(path):
    teeth = TEETH[1]
    low, high = rolls(teeth, TEETH[0])
    # Beyond the first and last points of the pinion, which then meet the inside of a face and never its edge.
    low, high = 0.9 * low, 1.05 * high
    at = [0.5 - 0.5 * math.cos(math.pi * i / DEGREE) for i in range(DEGREE + 1)]
    left = bezier([flank(teeth, low + (high - low) * u, PLAY) for u in at])
    knots = [(DEGREE, "0 " * (DEGREE + 1) + "1 " * DEGREE + "1"), (1, "0 0 1 1"), (1, "0 0 1 1")]
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<xml>", ' <MultiPatch parDim="3" id="0">']
    lines += [f'  <patches type="id_range">100 {99 + teeth}</patches>']
    for name, side in (("right", 3), ("left", 4)):
        lines += [f'  <boundary name="{name}">{"  ".join(f"{100 + i} {side}" for i in range(teeth))}</boundary>']
    lines += [" </MultiPatch>"]
    for tooth in range(teeth):
        lines += [f' <Geometry type="TensorBSpline3" id="{100 + tooth}">', '  <Basis type="TensorBSplineBasis3">']
        for index, (degree, of) in enumerate(knots):
            lines += [f'   <Basis type="BSplineBasis" index="{index}"><KnotVector degree="{degree}">{of}</KnotVector></Basis>']
        lines += ["  </Basis>", '  <coefs geoDim="3">']
        for z in (-WIDTH / 2, WIDTH / 2):
            for sign in (-1.0, 1.0):
                for x, y in left:
                    x, y = turned((x, sign * y), 2 * math.pi * tooth / teeth)
                    lines += [f"   {x!r} {y!r} {z!r}"]
        lines += ["  </coefs>", " </Geometry>"]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines + ["</xml>"]) + "\n")


def scenario():
    teeth, other = TEETH
    low, high = rolls(teeth, other)
    points = []
    for tooth in range(teeth):
        for i in range(POINTS + 1):
            point = flank(teeth, low + (high - low) * i / POINTS)
            points.append(turned(point, 2 * math.pi * tooth / teeth))
    listed = ", ".join(f"[{x!r}, {y!r}, 0.0]" for x, y in points)
    distance = radii(teeth)[0] + radii(other)[0]
    start = 180.0 + 180.0 / other + math.degrees(PLAY - GAP)
    return f"""# Two involute gears in mesh: a pinion with {teeth} teeth drives a wheel with {other} against a brake. Written by gears.py.
#
#   carom run meshes/gears/scenario.toml
#
# The pinion is a flywheel that keeps {SPEED:g} rad/s.

[simulation]
scheme = "rigid"
time_step = 2.0e-5
end_time = 0.07
output_every = 5.0e-4
gravity = [0.0, 0.0, 0.0]

[[body]]
name = "pinion"
make = {{ shape = "torus", radius = 0.013, inner_radius = 0.003 }}      # for the pictures
material = "steel"
rigid = true
mass_properties = {{ mass = 10.0, inertia = [10.0, 10.0, 10.0], center = [0.0, 0.0, 0.0] }}
angular_velocity = [0.0, 0.0, {SPEED}]

[[body.marker]]
name = "axis"
at = [0.0, 0.0, 0.0]

[[body.shape]]
name = "left"
kind = "points"
points = [{listed}]

[[body]]
name = "wheel"
file = "wheel.xml"
material = "steel"
rigid = true
mass_properties = {{ mass = 0.5, inertia = [1.0e-4, 1.0e-4, 2.0e-4], center = [0.0, 0.0, 0.0] }}
position = [{distance!r}, 0.0, 0.0]
rotation = {{ axis = [0.0, 0.0, 1.0], degrees = {start!r} }}
angular_velocity = [0.0, 0.0, {-SPEED * teeth / other!r}]

[[body.marker]]
name = "axis"
at = [0.0, 0.0, 0.0]

[[joint]]
kind = "revolute"
between = ["ground", "pinion:axis"]
axis = [0.0, 0.0, 1.0]

[[joint]]
kind = "revolute"
between = ["ground", "wheel:axis"]
axis = [0.0, 0.0, 1.0]

[[force]]
on = "wheel:axis"
torque = [0.0, 0.0, {TORQUE}]

[[contact]]
between = ["pinion:left", "wheel:left"]
restitution = 0.0
"""


if __name__ == "__main__":
    write_wheel(os.path.join(os.path.dirname(os.path.abspath(__file__)), "wheel.xml"))
    print(scenario(), end="")
