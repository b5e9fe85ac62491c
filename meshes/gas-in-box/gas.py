"""A gas of N rigid balls in a fixed box as a scenario, for cost over the number of bodies.

    python3 meshes/gas-in-box/gas.py 1000 > out/gas-1000.toml

Balls of steel with a radius of 0.1 m start on a lattice, 0.32 m apart, with velocities of up to 1 m/s in each
direction; impacts are elastic. The box grows with their number.
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


def scenario(n):
    numbers = random.Random(1)
    side = 1
    while side ** 3 < n:
        side += 1
    edge = round(side * PITCH + RADIUS, 6)
    text = HEAD.format(n=n, edge=edge, half=round(0.5 * edge, 6))
    for k in range(n):
        lattice = (k % side, k // side % side, k // side // side)
        place = [0.5 * edge + (i - 0.5 * (side - 1)) * PITCH for i in lattice]
        velocity = [numbers.uniform(-1.0, 1.0) for _ in range(3)]
        join = lambda values: ", ".join(f"{value:.6f}" for value in values)
        text += BALL.format(k=k, radius=RADIUS, place=join(place), velocity=join(velocity))
    return text


if __name__ == "__main__":
    if len(sys.argv) != 2 or not sys.argv[1].isdigit() or sys.argv[1] == "0":
        sys.exit("usage: gas.py N, the number of balls")
    print(scenario(int(sys.argv[1])), end="")
