"""N four-bar linkages side by side as a scenario, for cost over the number of bodies and loops.

    python3 meshes/mechanisms/four_bar.py 40 > out/four-bar-40.toml

All bars are 1 m long and weigh 1 kg. The cranks stand upright and turn with 1 rad/s; the mechanism has one
freedom, and more in the moments in which all bars lie on one line.
"""
import math
import sys

RADIUS = 0.05
HEAD = f"""# {{n}} four-bar linkages side by side: upright cranks on a line, joined by bars. Written by four_bar.py.

[simulation]
scheme = "dynamic"
integrator = "dop853"
end_time = 10.0
output_every = 0.01
gravity = [0.0, -9.81, 0.0]

[material.bar]                       # 1 kg of a rod of 1 m
density = {1.0 / (math.pi * RADIUS ** 2)!r}
young = 210e9
poisson = 0.3
"""


def bar(name, x, y, degrees, velocity, omega):
    return f"""
[[body]]
name = "{name}"
make = {{ shape = "rod", radius = {RADIUS}, length = 1.0 }}
material = "bar"
rigid = true
position = [{x:.1f}, {y:.1f}, 0.0]
rotation = {{ axis = [0.0, 0.0, 1.0], degrees = {degrees} }}
velocity = [{velocity}, 0.0, 0.0]
angular_velocity = [0.0, 0.0, {omega}]
"""


def joint(first, second):
    return f"""
[[joint]]
kind = "revolute"
between = ["{first}", "{second}"]
axis = [0.0, 0.0, 1.0]
"""


def scenario(n):
    cranks = [bar(f"crank{k}", k, 0.0, 90.0, -0.5, 1.0) for k in range(n + 1)]
    couplers = [bar(f"coupler{k}", k, 1.0, 0.0, -1.0, 0.0) for k in range(n)]
    joints = [joint("ground", f"crank{k}:start") for k in range(n + 1)]
    for k in range(n):
        joints += [joint(f"crank{k}:end", f"coupler{k}:start"), joint(f"coupler{k}:end", f"crank{k + 1}:end")]
    return HEAD.format(n=n) + "".join(cranks + couplers + joints)


if __name__ == "__main__":
    print(scenario(int(sys.argv[1])), end="")
