"""A gas of N balls as a scenario, for cost over the number of bodies.

    python3 meshes/gas-in-box/gas.py 1000 > out/gas-1000.toml
    python3 meshes/gas-in-box/gas.py 50 elastic > out/elastic-50.toml

Rigid balls of steel with a radius of 0.1 m start on a lattice in a fixed box, 0.32 m apart, with velocities of
up to 1 m/s in each direction; impacts are elastic. The box grows with their number.

Elastic balls of steel have a radius of 5 mm and no box; they start with gaps of 0.3 mm. Those inside of the
lattice have met each other after a millisecond, those outside fly apart.
"""
import random
import sys

RADIUS = 0.1
PITCH = 0.32
HEAD = """# {n} rigid balls in a box, each two of which may touch. Written by gas.py.

[simulation]
scheme = "rigid"
end_time = 0.5
time_step = 1.0e-4
output_every = 0.05

[[contact]]
between = ["*"]

[[body]]
name = "box"
make = {{ shape = "box", size = [{edge}, {edge}, {edge}] }}
material = "steel"
fixed = true

[[body.shape]]
name = "walls"
kind = "room"
center = [{half}, {half}, {half}]
size = [{edge}, {edge}, {edge}]
"""
BALL = """
[[body]]
name = "ball{k}"
make = {{ shape = "ball", radius = {radius} }}
material = "steel"
position = [{place}]
velocity = [{velocity}]
"""


ELASTIC_RADIUS = 0.005
ELASTIC_PITCH = 0.0103
ELASTIC_HEAD = """# {n} elastic balls, each two of which may touch. Written by gas.py.

[simulation]
scheme = "quasistatic"
end_time = 1.0e-3
output_every = 2.0e-5

[[contact]]
between = ["*"]
"""


def lattice(n, pitch):
    """Side of a cube of n points, and the points about its middle."""
    side = 1
    while side ** 3 < n:
        side += 1
    numbers = ((k % side, k // side % side, k // side // side) for k in range(n))
    return side, [[(i - 0.5 * (side - 1)) * pitch for i in point] for point in numbers]


def joined(values):
    return ", ".join(f"{value:.6f}" for value in values)


def balls(places, radius):
    numbers = random.Random(1)
    text = ""
    for k, place in enumerate(places):
        velocity = [numbers.uniform(-1.0, 1.0) for _ in range(3)]
        text += BALL.format(k=k, radius=radius, place=joined(place), velocity=joined(velocity))
    return text


def elastic(n):
    _, places = lattice(n, ELASTIC_PITCH)
    return ELASTIC_HEAD.format(n=n) + balls(places, ELASTIC_RADIUS)


def scenario(n):
    side, places = lattice(n, PITCH)
    edge = round(side * PITCH + RADIUS, 6)
    places = [[0.5 * edge + x for x in place] for place in places]
    return HEAD.format(n=n, edge=edge, half=round(0.5 * edge, 6)) + balls(places, RADIUS)


if __name__ == "__main__":
    kinds = {(): scenario, ("elastic",): elastic}
    write = kinds.get(tuple(sys.argv[2:]))
    if write is None or len(sys.argv) < 2 or not sys.argv[1].isdigit() or sys.argv[1] == "0":
        sys.exit("usage: gas.py N [elastic], with the number of balls")
    print(write(int(sys.argv[1])), end="")
