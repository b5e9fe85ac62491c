"""Writes the scenario of a ratchet: python3 ratchet.py > scenario.toml

A crank swings an arm about the axis of a wheel with pins. A pawl on the arm pushes the wheel ahead, a pawl
on the ground holds it. All lengths are in the plane of the wheel, whose axis is the origin.
"""

import math

PINS, CIRCLE, PIN = 24, 0.04, 0.002  # of the wheel: number, radius of their circle, radius of a pin [m]
PITCH = 2 * math.pi / PINS
LENGTH, HEIGHT, DEPTH = 0.04, 0.008, 0.004  # of a pawl [m]
TILT = math.radians(20.0)  # of a pawl against the tangent of the circle at the pin that it pushes
STROKE, LATE = 2.5 * PITCH, 0.25 * PITCH  # swing of the arm; its way before the pawl meets a pin
ARM, ROD = 0.06, 0.12  # from the axis to the pin of the rod, length of the rod [m]
CRANK = ARM * math.sin(STROKE / 2)
DISTANCE = math.sqrt(ROD**2 + ARM**2 - CRANK**2)  # of crank and arm: both strokes take the same time
SPEED, TORQUE = 20.0, 5.0  # of the crank [rad/s], load of the wheel [N m]
GAP = 1.0e-7  # of the pawls at the start [m]
STIFFNESS, FREE = 1000.0, 0.01  # of the springs of the pawls [N/m], length without force [m]
PUSHED, HELD = math.radians(90.0), math.radians(210.0)  # angles of the pins of both pawls at the start
MIDDLE = math.radians(-30.0)  # of the arm in the middle of its swing

JOINTS = [
    ("ground", "wheel:axis"),
    ("ground", "arm:start"),
    ("ground", "crank:start"),
    ("crank:pin", "rod:start"),
    ("rod:end", "arm:end"),
    ("arm:hinge", "driver:hinge"),
    ("ground", "holder:hinge"),
]


def turned(x, angle):
    cos, sin = math.cos(angle), math.sin(angle)
    return (x[0] * cos - x[1] * sin, x[0] * sin + x[1] * cos)


def plus(a, b, factor=1.0):
    return (a[0] + factor * b[0], a[1] + factor * b[1])


def numbers(x):
    return f"[{x[0]!r}, {x[1]!r}, 0.0]"


def pins():
    """Places of the pins at the start, a little before the pawl that will hold them."""
    return [turned((CIRCLE, 0.0), HELD + 4 * GAP / CIRCLE + number * PITCH) for number in range(PINS)]


def gap(hinge, angle):
    """Smallest distance of the pins from a pawl: a block, from its hinge along the angle."""
    nearest = math.inf
    for pin in pins():
        x, y = turned(plus(pin, hinge, -1.0), -angle)
        x, y = abs(x - LENGTH / 2) - LENGTH / 2, abs(y) - HEIGHT / 2
        nearest = min(nearest, math.hypot(max(x, 0.0), max(y, 0.0)) + min(max(x, y), 0.0) - PIN)
    return nearest


def hinge(angle):
    """Hinge and angle of a pawl on two pins; its end touches the first one, at an angle of the circle."""
    along = turned((-math.sin(TILT), math.cos(TILT)), angle)
    out = turned((math.cos(TILT), math.sin(TILT)), angle)
    first, second = turned((CIRCLE, 0.0), angle), turned((CIRCLE, 0.0), angle - PITCH)
    # Of the first pin above the side that lies on the second one.
    above = out[0] * (first[0] - second[0]) + out[1] * (first[1] - second[1]) - PIN
    assert 0.0 < above < HEIGHT / 2
    place = plus(plus(first, along, -PIN - LENGTH), out, HEIGHT / 2 - above)
    return place, math.atan2(along[1], along[0])


def raised(place, angle):
    """Angle at which a pawl comes to the distance GAP from the pins as it is raised from an overlap."""
    low, step = angle + 0.02, 1.0e-6
    assert gap(place, low) < GAP
    while step > 1.0e-13:
        if gap(place, low - step) < GAP:
            low -= step
        else:
            step *= 0.5
    return low


def pawl(name, place, angle):
    """A pawl at its hinge that lies on the pins, and the end of the spring that pulls its middle inwards."""
    anchor = plus(place, turned((LENGTH / 2, 0.02), angle))
    angle = raised(place, angle)
    middle = plus(place, turned((LENGTH / 2, 0.0), angle))
    return anchor, f"""
[[body]]
name = "{name}"
make = {{ shape = "plate", size = [{LENGTH}, {HEIGHT}, {DEPTH}] }}
material = "steel"
rigid = true
position = {numbers(middle)}
rotation = {{ axis = [0.0, 0.0, 1.0], degrees = {math.degrees(angle)!r} }}

[[body.marker]]
name = "hinge"
at = [{-LENGTH / 2}, 0.0, 0.0]

[[body.marker]]
name = "middle"
at = [0.0, 0.0, 0.0]

[[body.shape]]
name = "bar"
kind = "block"
center = [0.0, 0.0, 0.0]
size = [{LENGTH}, {HEIGHT}, {DEPTH}]
"""


def joint(one, other):
    return f"""
[[joint]]
kind = "revolute"
between = ["{one}", "{other}"]
axis = [0.0, 0.0, 1.0]
"""


def rod(name, radius, length, place, angle, velocity, rate, more=""):
    return f"""
[[body]]
name = "{name}"
make = {{ shape = "rod", radius = {radius}, length = {length!r} }}
material = "steel"
rigid = true
{more}position = {numbers(place)}
rotation = {{ axis = [0.0, 0.0, 1.0], degrees = {math.degrees(angle)!r} }}
velocity = {numbers(velocity)}
angular_velocity = [0.0, 0.0, {rate!r}]
"""


def scenario():
    back, front = (turned((ARM, 0.0), MIDDLE + sign * STROKE / 2) for sign in (-1, 1))
    # Both ends of the swing lie on one line with the crank; at the start its pin lies beyond its axis.
    line = turned((1.0, 0.0), math.atan2(front[1] - back[1], front[0] - back[0]))
    axis = plus(back, line, CRANK - ROD)
    pin, rate = plus(back, line, -ROD), SPEED * CRANK / ROD
    along = math.atan2(line[1], line[0])
    drift = turned((0.0, -rate * ROD / 2), along)
    place, angle = hinge(PUSHED)
    place, angle = turned(place, -LATE), angle - LATE
    anchor, driver = pawl("driver", place, angle)
    post, angle = hinge(HELD)
    end, holder = pawl("holder", post, angle)
    start = MIDDLE - STROKE / 2
    on_arm = [numbers(turned(x, -start)) for x in (place, anchor)]
    listed = ", ".join(numbers(pin) for pin in pins())
    flywheel = "mass_properties = { mass = 10.0, inertia = [10.0, 10.0, 10.0], center = [0.0, 0.0, 0.0] }\n"
    return f"""# A ratchet: an arm turns a wheel by two of its {PINS} pins a stroke. Written by ratchet.py.
#
#   carom run meshes/ratchet/scenario.toml
#
# The crank is a flywheel that keeps {SPEED:g} rad/s. A second pawl holds the wheel while the arm swings back.

[simulation]
scheme = "rigid"
time_step = 5.0e-5
end_time = {4 * math.pi / SPEED:.4f}
output_every = 2.0e-3
gravity = [0.0, 0.0, 0.0]

[[body]]
name = "wheel"
make = {{ shape = "torus", radius = 0.035, inner_radius = 0.003 }}      # for the pictures
material = "steel"
rigid = true
mass_properties = {{ mass = 0.3, inertia = [1.2e-4, 1.2e-4, 2.4e-4], center = [0.0, 0.0, 0.0] }}

[[body.marker]]
name = "axis"
at = [0.0, 0.0, 0.0]

[[body.shape]]
name = "pins"
kind = "points"
radius = {PIN}
points = [{listed}]
{rod("crank", 0.004, CRANK, axis, along + math.pi, (0.0, 0.0), SPEED, flywheel)}
[[body.marker]]
name = "pin"
at = [{CRANK!r}, 0.0, 0.0]
{rod("rod", 0.003, ROD, pin, along, drift, rate)}{rod("arm", 0.004, ARM, (0.0, 0.0), start, (0.0, 0.0), 0.0)}
[[body.marker]]
name = "hinge"
at = {on_arm[0]}

[[body.marker]]
name = "hook"
at = {on_arm[1]}
{driver}{holder}{"".join(joint(*ends) for ends in JOINTS)}
[[spring]]
between = ["arm:hook", "driver:middle"]
stiffness = {STIFFNESS}
free = {FREE}

[[spring]]
between = ["ground", "holder:middle"]
point = {numbers(end)}
stiffness = {STIFFNESS}
free = {FREE}

[[force]]
on = "wheel:axis"
torque = [0.0, 0.0, {-TORQUE}]

[[contact]]
between = ["wheel:pins", "*er:bar"]
restitution = 0.0
"""


if __name__ == "__main__":
    print(scenario(), end="")
