"""Writes the scenarios of this folder: python3 governor.py free > scenario.toml, python3 governor.py driven > driven.toml.

The arms hang from pins at a distance E from the axis, L long, with a ball at the end; links of the length A lead from the arms to a
sleeve on the spindle. At the start arms and links have the slope 3 : 4 to the axis, so that all places are short decimals.
"""

import math
import sys

E, L, A = 0.03, 0.25, 0.15  # distance of the pins, lengths of arms and links [m]
SIN, COS = 0.6, 0.8  # of the angle between the axis and the arms at the start
SPEED = 10.0  # of the spindle at the start [rad/s]

FREE = """# A flyball governor: two balls on arms swing as the spindle turns freely, and lift a sleeve on a spring.
#
#   carom run meshes/governor/scenario.toml
#
# The angular momentum about the axis stays: as the balls move outwards, the spindle turns more slowly. Written by governor.py.

[simulation]
scheme = "dynamic"
integrator = "dop853"
end_time = 5.0
output_every = 0.01
gravity = [0.0, 0.0, -9.81]
"""

DRIVEN = """# The flyball governor with a driven spindle: a damper lets the sleeve settle at the height that belongs to the speed.
#
#   carom run meshes/governor/driven.toml
#
# The speed of the spindle rises from 10 to 13 rad/s. Written by governor.py.

[simulation]
scheme = "dynamic"
integrator = "dop853"
end_time = 8.0
output_every = 0.02
gravity = [0.0, 0.0, -9.81]
"""


def numbers(values):
    return "[" + ", ".join(repr(round(value, 12) + 0.0) for value in values) + "]"


def body(name, make, position, degrees, center, rest=""):
    """A body whose source axis x is turned about y; `center` is its centre of mass in inertial axes."""
    return f"""
[[body]]
name = "{name}"
make = {{ {make} }}
material = "steel"
rigid = true
position = {numbers(position)}
rotation = {{ axis = [0.0, 1.0, 0.0], degrees = {degrees!r} }}
velocity = {numbers([0.0, SPEED * center[0], 0.0])}
angular_velocity = {numbers([0.0, 0.0, SPEED])}
{rest}"""


def marker(name, place):
    return f"""
[[body.marker]]
name = "{name}"
at = {numbers(place)}
"""


def joint(kind, first, second, axis, rest=""):
    return f"""
[[joint]]
kind = "{kind}"
between = ["{first}", "{second}"]
axis = {numbers(axis)}
{rest}"""


def scenario(driven):
    rod = math.degrees(math.atan2(COS, SIN))  # turns x to the direction of an arm on the side of +x
    text = DRIVEN if driven else FREE
    # The spindle hangs from 0.05 m above the pins: its source axis x points down, its axis z along x.
    pins = marker("bearing", [0.0, 0.0, 0.0]) + marker("right", [0.05, 0.0, E]) + marker("left", [0.05, 0.0, -E])
    sleeve_at = 0.05 + 2 * A * COS
    text += body("spindle", 'shape = "rod", radius = 0.01, length = 0.5', [0.0, 0.0, 0.05], 90.0, [0.0] * 3, pins + marker("sleeve", [sleeve_at, 0.0, 0.0]))
    for side, sign in (("right", 1.0), ("left", -1.0)):
        down, back = (rod, 180.0 - rod) if sign > 0 else (180.0 - rod, rod)
        pin, tip = [sign * E, 0.0, 0.0], [sign * (E + L * SIN), 0.0, -L * COS]
        middle = [sign * (E + L / 2 * SIN), 0.0, -L / 2 * COS]
        text += body(f"{side} arm", f'shape = "rod", radius = 0.006, length = {L}', pin, down, middle, marker("elbow", [A, 0.0, 0.0]))
        text += body(f"{side} ball", 'shape = "ball", radius = 0.04', tip, 0.0, tip, marker("center", [0.0, 0.0, 0.0]))
        elbow = [sign * (E + A * SIN), 0.0, -A * COS]
        middle = [sign * (E + A / 2 * SIN), 0.0, -1.5 * A * COS]
        text += body(f"{side} link", f'shape = "rod", radius = 0.005, length = {A}', elbow, back, middle)
    ring = marker("middle", [0.03, 0.0, 0.0]) + marker("right", [0.03, 0.0, E]) + marker("left", [0.03, 0.0, -E])
    height = -2 * A * COS
    text += body("sleeve", 'shape = "tube", radius = 0.025, inner_radius = 0.012, length = 0.06', [0.0, 0.0, height + 0.03], 90.0, [0.0, 0.0, height], ring)
    motion = 'motion = "13*t - 1.5*tanh(t/0.5)"           # from 10 to 13 rad/s\n' if driven else ""
    text += joint("revolute", "ground", "spindle:bearing", [0.0, 0.0, 1.0], motion)
    for side in ("right", "left"):
        text += joint("revolute", f"spindle:{side}", f"{side} arm:start", [0.0, 1.0, 0.0])
        text += joint("fixed", f"{side} arm:end", f"{side} ball:center", [0.0, 0.0, 1.0])
        text += joint("revolute", f"{side} arm:elbow", f"{side} link:start", [0.0, 1.0, 0.0])
        text += joint("revolute", f"{side} link:end", f"sleeve:{side}", [0.0, 1.0, 0.0])
    damping = ", damping = 60.0" if driven else ""
    text += joint("prismatic", "spindle:sleeve", "sleeve:middle", [0.0, 0.0, 1.0], f"spring = {{ stiffness = 400.0{damping} }}        # no force at the start\n")
    return text


if __name__ == "__main__":
    print(scenario(sys.argv[1] == "driven"), end="")
