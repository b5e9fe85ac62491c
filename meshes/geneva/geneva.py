"""Writes the scenario of a Geneva drive with four slots: python3 geneva.py > scenario.toml

The crank turns about the origin; its pin enters a slot of the wheel along the slot, turns the wheel by a quarter, and leaves.
"""

import math

DISTANCE = 0.1  # of both axes [m]
CRANK = DISTANCE * math.sin(math.pi / 4)  # radius of the pin's circle [m]
RADIUS = DISTANCE * math.cos(math.pi / 4)  # of the wheel [m]
PIN, PLAY = 0.004, 2.0e-6  # radius of the pin, distance to each side of a slot [m]
INNER, WALL, THICK = 0.022, 0.006, 0.008  # where the slots begin, thickness of their sides, of the wheel [m]
SPEED, START = 10.0, -75.0  # of the crank [rad/s]; its angle at the start [degrees]

HEAD = f"""# A Geneva drive: a pin turns a wheel with four slots by a quarter in each revolution. Written by geneva.py.
#
#   carom run meshes/geneva/scenario.toml
#
# The crank is a flywheel that keeps {SPEED:g} rad/s. The pin meets a slot along its direction, so that the wheel begins and ends at rest.

[simulation]
scheme = "rigid"
time_step = 5.0e-5
end_time = 0.9
output_every = 5.0e-3
gravity = [0.0, 0.0, 0.0]
"""


def wheel_shapes():
    """Sides of the slots: blocks on both sides of the axes x and y of the wheel."""
    length, middle, across = RADIUS - INNER, 0.5 * (RADIUS + INNER), PIN + PLAY + 0.5 * WALL
    text = ""
    for slot in range(4):
        angle = slot * math.pi / 2
        cos, sin = round(math.cos(angle)), round(math.sin(angle))
        for side, sign in (("left", 1.0), ("right", -1.0)):
            x, y = middle * cos - sign * across * sin, middle * sin + sign * across * cos
            size = [length, WALL] if sin == 0 else [WALL, length]
            text += f"""
[[body.shape]]
name = "{side} {slot}"
kind = "block"
center = [{x!r}, {y!r}, 0.0]
size = [{size[0]!r}, {size[1]!r}, {THICK}]
"""
    return text


def scenario():
    angle = math.radians(START)
    return HEAD + f"""
[[body]]
name = "crank"
make = {{ shape = "rod", radius = 0.005, length = {CRANK!r} }}
material = "steel"
rigid = true
mass_properties = {{ mass = 10.0, inertia = [10.0, 10.0, 10.0] }}
rotation = {{ axis = [0.0, 0.0, 1.0], degrees = {START} }}
angular_velocity = [0.0, 0.0, {SPEED}]

[[body.shape]]
name = "pin"
kind = "ball"
center = [{CRANK!r}, 0.0, 0.0]
radius = {PIN}

# The slots have angles of 45 degrees to the line of both axes. The ring is for the pictures, which do not have the blocks.
[[body]]
name = "wheel"
make = {{ shape = "torus", radius = {INNER - 0.004!r}, inner_radius = 0.004 }}
material = "steel"
rigid = true
mass_properties = {{ mass = 0.2, inertia = [2.0e-4, 2.0e-4, 4.0e-4] }}
position = [{DISTANCE}, 0.0, 0.0]
rotation = {{ axis = [0.0, 0.0, 1.0], degrees = 45.0 }}

[[body.marker]]
name = "axis"
at = [0.0, 0.0, 0.0]

[[body.marker]]
name = "rim"
at = [{INNER}, 0.0, 0.0]
{wheel_shapes()}
[[joint]]
kind = "revolute"
between = ["ground", "crank:start"]
axis = [0.0, 0.0, 1.0]

[[joint]]
kind = "revolute"
between = ["ground", "wheel:axis"]
axis = [0.0, 0.0, 1.0]

# A brake in place of the locking disc.
[[spring]]
between = ["ground", "wheel:rim"]
point = [{DISTANCE}, 1.0, 0.0]
damping = 2.0

[[contact]]
between = ["crank:pin", "wheel:*"]
restitution = 0.0
"""


if __name__ == "__main__":
    print(scenario(), end="")
