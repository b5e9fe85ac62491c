"""Writes a ball bearing: its rings as exact NURBS solids (inner.xml, outer.xml), and a scenario with eight balls on standard output.

    python3 bearing.py > scenario.toml
    python3 bearing.py hertz > hertz.toml    # the same at rest, with Hertz' contacts

The grooves are circular arcs that are turned about the axis z: rational polynomials of degree 2 in both directions, without facets.
"""

import math
import os
import sys

BALL, PITCH = 0.005, 0.025  # radii of a ball and of the circle of their centres [m]
PLAY = 1.0e-9  # of a ball in each groove [m]: surfaces that touch to the last bit would be in front of each other or not by round-off
GROOVE = 0.0056  # radius of the grooves, 0.56 ball diameters [m]
HALF = math.radians(40.0)  # of the arc of a groove
BORE, RIM = 0.014, 0.036  # inner radius of the inner, outer radius of the outer ring [m]
N, LOAD = 8, 500.0  # balls; radial load of the inner ring [N]
SPEED = 50.0  # of the inner ring [rad/s]
TURNED = 22.5  # of the seams between the patches [degrees]

HEAD = f"""# A ball bearing under a radial load: eight balls roll between two rings with grooves, which are exact surfaces. Written by bearing.py.
#
#   carom run meshes/bearing/scenario.toml
#
# The inner ring turns with {SPEED:g} rad/s about z. The load along x comes within 4 ms; dampers let the ring settle. There is no cage.

[simulation]
scheme = "rigid"
time_step = 5.0e-6
end_time = 0.03
output_every = 5.0e-4
gravity = [0.0, 0.0, 0.0]

[[body]]
name = "outer"
file = "outer.xml"
material = "steel"
rigid = true
fixed = true

[[body]]
name = "inner"
file = "inner.xml"
material = "steel"
rigid = true
angular_velocity = [0.0, 0.0, {SPEED}]

[[body.marker]]
name = "axis"
at = [0.0, 0.0, 0.0]

[[joint]]
name = "shaft"
kind = "planar"
between = ["ground", "inner:axis"]
axis = [0.0, 0.0, 1.0]

[[force]]
on = "inner:axis"
force = [{LOAD}, 0.0, 0.0]
scale = "smoothstep(t/0.004)"

[[spring]]
between = ["ground", "inner:axis"]
point = [1.0, 0.0, 0.0]
damping = 300.0

[[spring]]
between = ["ground", "inner:axis"]
point = [0.0, 1.0, 0.0]
damping = 300.0
"""

CONTACT = """
[[contact]]
between = ["ball*:skin", "inner:groove"]
law = { kind = "penalty", point_stiffness = 5.0e7 }
friction = 0.1

[[contact]]
between = ["ball*:skin", "outer:groove"]
law = { kind = "penalty", point_stiffness = 5.0e7 }
friction = 0.1
"""


def arc(middle, half):
    """Control points (angle, distance over the radius, weight) of a circular arc of degree 2."""
    return [(middle - half, 1.0, 1.0), (middle, 1.0 / math.cos(half), math.cos(half)), (middle + half, 1.0, 1.0)]


def ring(outer):
    """Control points and weights of the four patches: along the ring, along the groove, from the back to the groove."""
    # The groove is an arc about a point on the side of the balls; its deepest point touches a ball.
    sign = 1.0 if outer else -1.0
    center = PITCH + sign * (BALL - GROOVE)
    patches = []
    for quarter in range(4):
        points = []
        for back in (True, False):
            for b, far, weight_b in arc(0.0, HALF):
                radius = (RIM if outer else BORE) if back else center + sign * GROOVE * far * math.cos(b)
                z = GROOVE * far * math.sin(b)
                for a, out, weight_a in arc(math.radians(TURNED + 45.0 + 90.0 * quarter), math.pi / 4):
                    points.append(([radius * out * math.cos(a), radius * out * math.sin(a), z], weight_a * weight_b))
        patches.append(points)
    return patches


def write(path, patches):
    knots = [(2, "0 0 0 1 1 1"), (2, "0 0 0 1 1 1"), (1, "0 0 1 1")]
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<xml>", ' <MultiPatch parDim="3" id="0">']
    lines += [f'  <patches type="id_range">100 {99 + len(patches)}</patches>']
    for name, side in (("groove", 6), ("back", 5)):
        lines += [f'  <boundary name="{name}">{"  ".join(f"{100 + i} {side}" for i in range(len(patches)))}</boundary>']
    lines += [" </MultiPatch>"]
    for i, points in enumerate(patches):
        lines += [f' <Geometry type="TensorNurbs3" id="{100 + i}">', '  <Basis type="TensorNurbsBasis3">', '   <Basis type="TensorBSplineBasis3">']
        for index, (degree, of) in enumerate(knots):
            lines += [f'    <Basis type="BSplineBasis" index="{index}"><KnotVector degree="{degree}">{of}</KnotVector></Basis>']
        lines += ["   </Basis>", "   <weights>" + " ".join(repr(weight) for _, weight in points) + "</weights>", "  </Basis>"]
        lines += ['  <coefs geoDim="3">'] + ["   " + " ".join(repr(x) for x in place) for place, _ in points] + ["  </coefs>", " </Geometry>"]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines + ["</xml>"]) + "\n")


def ball(number):
    """A ball that rolls on the fixed outer ring and on the inner one."""
    inner, outer = PITCH - BALL, PITCH + BALL
    orbit = SPEED * inner / (inner + outer)
    spin = (orbit * PITCH - SPEED * inner) / BALL
    cos, sin = math.cos(2 * math.pi * number / N), math.sin(2 * math.pi * number / N)
    speed = orbit * PITCH
    return f"""
[[body]]
name = "ball {number}"
make = {{ shape = "ball", radius = {BALL} }}
material = "steel"
rigid = true
position = [{PITCH * cos!r}, {PITCH * sin!r}, 0.0]
velocity = [{-speed * sin!r}, {speed * cos!r}, 0.0]
angular_velocity = [0.0, 0.0, {spin!r}]

[[body.shape]]
name = "skin"
kind = "ball"
center = [0.0, 0.0, 0.0]
radius = {BALL - PLAY!r}
"""


HERTZ = f"""# A ball bearing at rest under a radial load, whose eight balls touch grooves of the rings as elastic bodies do. Written by bearing.py.
#
#   carom run meshes/bearing/hertz.toml
#
# The load along x comes within 0.5 ms; dampers let the ring settle. Bodies are rigid, with half-spaces of their material below the contacts.

[simulation]
scheme = "quasistatic"
end_time = 8.0e-4
output_every = 2.0e-5
gravity = [0.0, 0.0, 0.0]
""" + HEAD[HEAD.index("\n[[body]]"):].replace(f"angular_velocity = [0.0, 0.0, {SPEED}]\n", "").replace("t/0.004", "t/0.0005").replace(
    "damping = 300.0", "damping = 1500.0"
)

ON_GRIDS = """
[[contact]]
between = ["ball*:surface", "inner:groove"]
law = { kind = "lagrange" }
compliance = "half-space"

[[contact]]
between = ["ball*:surface", "outer:groove"]
law = { kind = "lagrange" }
compliance = "half-space"
"""


def resting(number):
    """A ball without a skin and at rest."""
    lines = ball(number).split("\n[[body.shape]]")[0].splitlines()
    return "\n".join(line for line in lines if "velocity" not in line) + "\n"


if __name__ == "__main__":
    if sys.argv[1:] == ["hertz"]:
        print(HERTZ + "".join(resting(number) for number in range(N)) + ON_GRIDS, end="")
        sys.exit()
    folder = os.path.dirname(os.path.abspath(__file__))
    write(os.path.join(folder, "inner.xml"), ring(False))
    write(os.path.join(folder, "outer.xml"), ring(True))
    print(HEAD + "".join(ball(number) for number in range(N)) + CONTACT, end="")
