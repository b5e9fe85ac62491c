"""Writes two involute gears: the teeth of the wheel as exact solids (wheel.xml), and a scenario on standard output.

    python3 gears.py > scenario.toml
    python3 gears.py flexible > flexible.toml    # whole gears, elastic_pinion.xml and elastic_wheel.xml
    python3 gears.py resolved -4.5 0 FOLDER      # statics at an angle of the pinion [degrees], pairs 0 or 0,1: cells that resolve the contact

The flanks of the wheel are splines through involutes, those of the pinion are points on involutes, which touch them.
"""

import math
import os
import sys

MODULE, PRESSURE = 0.002, math.radians(20.0)
TEETH = (20, 30)  # of pinion and wheel
WIDTH = 0.01
PLAY = 1.0e-4  # by which each flank of the wheel is set back [rad]
GAP = 1.0e-7  # between the flanks that drive at the start [rad]
SPEED, TORQUE = 10.0, 20.0  # of the pinion [rad/s], brake of the wheel [N m]
DEGREE, POINTS = 6, 40  # of a flank of the wheel; points on a flank of the pinion

# Of the elastic gears.
CROWN = 2.0  # radius of the crown of a flank of the wheel [m]
RELIEF, REACH = 1.0e-5, 0.45  # of the tips [m], and its length along the path of contact in base pitches
BORE = (0.008, 0.014)  # radii [m]
ROOT = 1.25  # depth of the roots below the pitch circles in modules
PAIRS = 3  # of teeth that meet
SPANS = 12  # of the face width
FAST, START, TURNS = 100.0, -8.0, 1.5  # of the pinion [rad/s]; its angle at the start [degrees]; pitches of the run
DAMPER, LOADED = 0.9, 1.0e-3  # at the wheel [N m s]; time in which the brake is applied [s]
EVERY = 1.0e-5  # samples of the angle of the wheel and of the forces [s]


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


class Spline:
    """Open knots on [0, 1], and interpolation at the means of knots (Greville)."""

    def __init__(self, degree, spans):
        """`spans`: their number, or their ends between 0 and 1."""
        inner = [i / spans for i in range(1, spans)] if isinstance(spans, int) else list(spans)
        self.degree, self.n = degree, degree + len(inner) + 1
        self.knots = [0.0] * (degree + 1) + inner + [1.0] * (degree + 1)
        self.at = [sum(self.knots[i + 1 : i + degree + 1]) / degree for i in range(self.n)]
        rows = [[self.value(i, u) for i in range(self.n)] for u in self.at]
        self.inverse = solve(rows, [[float(i == k) for k in range(self.n)] for i in range(self.n)])

    def value(self, i, u):
        """Of the B-spline i, by the recursion of de Boor and Cox."""

        def of(i, p):
            a = self.knots
            if p == 0:
                return float(a[i] <= u < a[i + 1] or (u == 1.0 and a[i] < a[i + 1] == 1.0))
            left, right = a[i + p] - a[i], a[i + p + 1] - a[i + 1]
            return ((u - a[i]) / left * of(i, p - 1) if left else 0.0) + (
                (a[i + p + 1] - u) / right * of(i + 1, p - 1) if right else 0.0
            )

        return of(i, self.degree)

    def through(self, points):
        """Control points of the spline through points at `at`."""
        return [[sum(m * x[d] for m, x in zip(row, points)) for d in range(len(points[0]))] for row in self.inverse]

    def text(self):
        return f'<KnotVector degree="{self.degree}">{" ".join(f"{k:.12g}" for k in self.knots)}</KnotVector>'


def mixed(a, b, u):
    return [(1 - u) * x + u * y for x, y in zip(a, b)]


def polar(radius, angle):
    return (radius * math.cos(angle), radius * math.sin(angle))


class Tooth:
    """A tooth of an elastic gear about the angle 0: its flanks, crowned and relieved at the tip, with fillets, and the rim below."""

    def __init__(self, teeth, other, bore, crown):
        self.teeth, self.bore, self.crown = teeth, bore, crown
        pitch, self.base, _ = radii(teeth)
        self.root = pitch - ROOT * MODULE
        low, self.high = rolls(teeth, other)
        self.low = 0.8 * low  # below the first point that the other gear touches
        # The fillet leaves the flank along its tangent and ends on the root circle.
        self.foot = self.flank(self.low, 0.0)
        before = self.flank(self.low + 1e-5, 0.0)
        along = [a - b for a, b in zip(self.foot, before)]
        square = sum(x * x for x in along)
        half = sum(x * y for x, y in zip(self.foot, along)) / square
        way = -half - math.sqrt(half * half - (sum(x * x for x in self.foot) - self.root**2) / square)
        self.bend = [x + way * y for x, y in zip(self.foot, along)]
        corner = math.atan2(self.bend[1], self.bend[0])
        self.end = corner + 0.85 * (math.pi / teeth - corner)

    def flank(self, roll, z):
        """A point of the left flank: a turn by δ/r_b moves an involute by δ along its normals."""
        reach = REACH * math.pi * MODULE * math.cos(PRESSURE) / self.base
        relief = RELIEF * max(0.0, 1.0 - (self.high - roll) / reach) ** 3
        return flank(self.teeth, roll, (relief + 0.5 * self.crown * z * z) / self.base)

    def side(self, v, z):
        """The left side from the root circle to the flank, a parabola."""
        a, b = mixed(polar(self.root, self.end), self.bend, v), mixed(self.bend, self.flank(self.low, z), v)
        return mixed(a, b, v)

    def rolled(self, v):
        """Points are even along the flank, whose length grows with the square of the roll angle."""
        return math.sqrt(self.low**2 + v * (self.high**2 - self.low**2))

    def across(self, left, u):
        """From the left side to its mirror image."""
        return (left[0], (1 - 2 * u) * left[1])

    def patches(self, fine):
        """Splines and points (u, v, z) of the parts of a sector: flanks, foot, rim, and the rim below the gap."""
        width = Spline(2, SPANS if fine else 1)
        thick, gap = Spline(2, 3 if fine else 1), Spline(2, 2 if fine else 1)
        step = 2 * math.pi / self.teeth

        def gap_point(u, v, z):
            angle = step - self.end + u * (2 * self.end - step)
            return polar(self.bore + v * (self.root - self.bore), angle)

        def rim_point(u, v, z):
            low = polar(self.bore, (1 - 2 * u) * self.end)
            return mixed(low, self.across(polar(self.root, self.end), u), v)

        depth = Spline(2, 3)
        return {
            "tooth": ((thick, Spline(3, 7 if fine else 3), width), lambda u, v, z: self.across(self.flank(self.rolled(v), z), u)),
            "foot": ((thick, Spline(2, 2 if fine else 1), width), lambda u, v, z: self.across(self.side(v, z), u)),
            "rim": ((thick, depth, width), rim_point),
            "gap": ((gap, depth, width), gap_point),
        }


def write_elastic(path, tooth, places):
    """Writes a gear, refined at the teeth in `places`, whose left flanks are the sets left0, left1, ..."""
    teeth = tooth.teeth
    blocks, sides = [], {"bore": []}
    shapes = {fine: tooth.patches(fine) for fine in (True, False)}
    for number in range(teeth):
        for name, (splines, point) in shapes[number in places].items():
            index = 100 + len(blocks)
            if name in ("rim", "gap"):
                sides["bore"].append(f"{index} 3")
            if name == "tooth" and number in places:
                sides[f"left{places.index(number)}"] = [f"{index} 1"]
            turn = 2 * math.pi * number / teeth
            net = [[[[*turned(point(u, v, WIDTH * (w - 0.5)), turn), WIDTH * (w - 0.5)] for u in splines[0].at] for v in splines[1].at] for w in splines[2].at]
            net = [[splines[0].through(row) for row in layer] for layer in net]
            net = [list(zip(*[splines[1].through(column) for column in zip(*layer)])) for layer in net]
            stacks = [[splines[2].through(stack) for stack in zip(*rows)] for rows in zip(*net)]
            points = [stacks[j][i][k] for k in range(splines[2].n) for j in range(splines[1].n) for i in range(splines[0].n)]
            lines = [f' <Geometry type="TensorBSpline3" id="{index}">', '  <Basis type="TensorBSplineBasis3">']
            lines += [f'   <Basis type="BSplineBasis" index="{d}">{spline.text()}</Basis>' for d, spline in enumerate(splines)]
            lines += ["  </Basis>", '  <coefs geoDim="3">']
            lines += ["   " + " ".join(f"{1e3 * x:.8f}".rstrip("0").rstrip(".") for x in place) for place in points]
            blocks.append(lines + ["  </coefs>", " </Geometry>"])
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<xml>", ' <MultiPatch parDim="3" id="0">']
    lines += [f'  <patches type="id_range">100 {99 + len(blocks)}</patches>']
    lines += [f'  <boundary name="{name}">{"  ".join(of)}</boundary>' for name, of in sides.items()]
    lines += [" </MultiPatch>"] + [line for block in blocks for line in block] + ["</xml>"]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def elastic():
    """Writes both gears, and returns the scenario."""
    folder = os.path.dirname(os.path.abspath(__file__))
    teeth, other = TEETH
    # The tooth −p of the pinion meets the tooth p − 1 of the wheel.
    places = ([-p % teeth for p in range(PAIRS)], [(p - 1) % other for p in range(PAIRS)])
    write_elastic(os.path.join(folder, "elastic_pinion.xml"), Tooth(teeth, other, BORE[0], 0.0), places[0])
    write_elastic(os.path.join(folder, "elastic_wheel.xml"), Tooth(other, teeth, BORE[1], 1.0 / CROWN), places[1])
    return flexible_scenario()


def flexible_scenario():
    teeth, other = TEETH
    distance = radii(teeth)[0] + radii(other)[0]
    start = 180.0 + 180.0 / other - math.degrees(GAP / radii(other)[1]) - START * teeth / other
    slow = FAST * teeth / other
    listed = ", ".join(f'"left{p}"' for p in range(PAIRS))
    text = f"""# Two elastic involute gears in mesh: a pinion with {teeth} teeth drives a wheel with {other} against a brake. Written by gears.py.
#
#   carom run meshes/gears/flexible.toml
#
# The pinion turns with {FAST:g} rad/s. The teeth bend, and flanks touch on half-spaces; a damper lets the start ring down.

[simulation]
scheme = "quasistatic"
end_time = {TURNS * 2 * math.pi / teeth / FAST:.6g}
output_every = 5.0e-5
gravity = [0.0, 0.0, 0.0]

[output]
contact_frames = 1
"""
    for name, angle, speed in (("pinion", START, FAST), ("wheel", start, -slow)):
        text += f"""
[[body]]
name = "{name}"
file = "elastic_{name}.xml"
units = "mm-t-s"
material = "steel"
reduce = {{ places = [{listed}], attach = {{ bore = {{ kind = "rigid", at = [0.0, 0.0, 0.0] }} }}, modes = 24 }}
position = [{distance if name == "wheel" else 0.0!r}, 0.0, 0.0]
rotation = {{ axis = [0.0, 0.0, 1.0], degrees = {angle!r} }}
angular_velocity = [0.0, 0.0, {speed!r}]
"""
    text += f"""
[[joint]]
kind = "revolute"
between = ["ground", "pinion:bore"]
axis = [0.0, 0.0, 1.0]
motion = "{FAST:g}*t"

[[joint]]
kind = "revolute"
between = ["ground", "wheel:bore"]
axis = [0.0, 0.0, 1.0]
spring = {{ damping = {DAMPER:g} }}

# The brake of {TORQUE:g} N m, without the torque of the damper at the mean speed.
[[force]]
on = "wheel:bore"
torque = [0.0, 0.0, 1.0]
scale = "{TORQUE:g}*smoothstep(t/{LOADED:g}) - {DAMPER * slow!r}"
"""
    for p in range(PAIRS):
        text += f"""
[[contact]]
between = ["pinion:left{p}", "wheel:left{p}"]
law = {{ kind = "lagrange" }}
compliance = "half-space"
"""
    text += f"""
[[probe]]
name = "bore"
on = "wheel"
at = [{BORE[1]}, 0.0, 0.0]
what = ["position"]
every = {EVERY:g}
"""
    for p in range(PAIRS):
        text += f"""
[[probe]]
name = "pair {p}"
contact = "{p + 1}"
what = ["force"]
every = {EVERY:g}
"""
    return text


APPROACH, FINEST = 1.0e-5, 2.0e-5  # of the bores [m]; cells across the contact [m]


def graded(at, finest, reach):
    """Knots between 0 and 1, `finest` apart within `reach` of a place and growing beyond."""
    knots = {at}
    for sign in (-1, 1):
        x, step = at, finest
        while True:
            step *= 1.6 if abs(x - at) > reach else 1.0
            x += sign * step
            if min(x, 1 - x) < 0.4 * step:
                break
            knots.add(x)
    return sorted(knots)


def resolved(degrees, pairs, folder):
    """Statics of whole gears at an angle of the pinion, whose bore moves along the line of action."""
    teeth, other = TEETH
    base, base_2 = radii(teeth)[1], radii(other)[1]
    reach = (base + base_2) * math.tan(PRESSURE)
    on_pinion = [math.tan(PRESSURE) + math.radians(degrees) + math.pi / 2 / teeth - 2 * math.pi / teeth * p for p in pairs]
    on_wheel = [(reach - roll * base) / base_2 for roll in on_pinion]
    gears = (
        ("pinion", Tooth(teeth, other, BORE[0], 0.0), [-p % teeth for p in pairs], on_pinion),
        ("wheel", Tooth(other, teeth, BORE[1], 1.0 / CROWN), [(p - 1) % other for p in pairs], on_wheel),
    )
    text = '[simulation]\nscheme = "static"\nsteps = 5\n'
    for name, tooth, places, at in gears:
        square = tooth.high**2 - tooth.low**2
        length = 0.5 * tooth.base * square
        middles = sorted((roll**2 - tooth.low**2) / square for roll in at)
        lists = [graded(v, FINEST / length, 2.2e-4 / length) for v in middles]
        border = 0.5 * (middles[0] + middles[-1])
        height = lists[0] if len(lists) == 1 else [v for v in lists[0] if v < border] + [v for v in lists[1] if v > border]
        thick, step = [], 1.25 * FINEST / (2 * tooth.foot[1])
        while sum(thick[-1:]) + step < 0.75:
            thick.append(sum(thick[-1:]) + step)
            step *= 1.6
        whole = tooth.patches

        def patches(fine):
            found = whole(fine)
            if fine:
                for part, ((_, v, w), point) in found.items():
                    along = found["gap"][0][0] if part == "gap" else Spline(2, thick)
                    found[part] = ((along, Spline(3, height) if part == "tooth" else v, w), point)
            return found

        tooth.patches = patches
        write_elastic(os.path.join(folder, f"{name}.xml"), tooth, places)
        turned_by = degrees if name == "pinion" else 180.0 + 180.0 / other - degrees * teeth / other
        text += f"""
[[body]]
name = "{name}"
file = "{name}.xml"
units = "mm-t-s"
material = "steel"
position = [{radii(teeth)[0] + radii(other)[0] if name == "wheel" else 0.0!r}, 0.0, 0.0]
rotation = {{ axis = [0.0, 0.0, 1.0], degrees = {turned_by!r} }}

[[support]]
on = "{name}:bore"
displacement = {[APPROACH * math.sin(PRESSURE), APPROACH * math.cos(PRESSURE), 0.0] if name == "pinion" else [0.0, 0.0, 0.0]!r}
"""
    for k in range(len(pairs)):
        text += f"""
[[contact]]
between = ["pinion:left{k}", "wheel:left{k}"]
law = {{ kind = "lagrange" }}
compliance = "body"
"""
    with open(os.path.join(folder, "static.toml"), "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    if sys.argv[1:2] == ["resolved"]:
        resolved(float(sys.argv[2]), [int(p) for p in sys.argv[3].split(",")], sys.argv[4])
    elif sys.argv[1:] == ["flexible"]:
        print(elastic(), end="")
    else:
        write_wheel(os.path.join(os.path.dirname(os.path.abspath(__file__)), "wheel.xml"))
        print(scenario(), end="")
