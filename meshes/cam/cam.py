"""Writes the disc cam of this folder as an exact solid of four patches: python3 cam.py > cam.xml (needs NumPy).

The centre of a ball of radius R whose pole runs on the cam is lifted by s(a) = H/2 (1 - cos 2a) as the cam turns by a. The
profile is the curve at a distance R inside of the path of that centre: a periodic spline of degree 5 through 32 points of it.
"""

import numpy as np

R = 0.005  # radius of the ball [m]
RHO = 0.035  # distance of its centre from the axis of the cam at no lift [m]
H = 0.003  # lift [m]
BORE = 0.012  # radius of the bore [m]
WIDTH = 0.012  # width of the cam [m]
DEGREE, N, PATCHES = 5, 32, 4
ANGLES = 2 * np.pi * np.arange(N) / N


def profile(a):
    """Points of the profile; the ball is above the axis at a = 0 and the cam turns against it."""
    rho, slope = RHO + H / 2 * (1 - np.cos(2 * a)), H * np.sin(2 * a)
    radial, along = np.array([-np.sin(a), np.cos(a)]), np.array([-np.cos(a), -np.sin(a)])
    tangent = slope * radial + rho * along
    normal = np.array([tangent[1], -tangent[0]]) / np.hypot(*tangent)
    return (rho * radial - R * normal).T


def basis(knots, degree, u):
    """Values of all B-splines at u, by the recursion of de Boor and Cox."""
    last = np.searchsorted(knots, knots[-1]) - 1
    span = min(np.searchsorted(knots, u, side="right") - 1, last)
    values = np.zeros(len(knots) - 1)
    values[span] = 1.0
    for p in range(1, degree + 1):
        for i in range(len(knots) - 1 - p):
            left, right = knots[i + p] - knots[i], knots[i + p + 1] - knots[i + 1]
            values[i] = ((u - knots[i]) / left * values[i] if left else 0.0) + (
                (knots[i + p + 1] - u) / right * values[i + 1] if right else 0.0
            )
    return values[: len(knots) - 1 - degree]


def around(u):
    """Values of the N functions of the periodic spline at u."""
    row = basis(np.arange(-DEGREE, N + DEGREE + 1, dtype=float), DEGREE, u)
    return np.bincount(np.arange(len(row)) % N, row, N)


def controls(points):
    """Control points of the periodic spline through the points, one a span."""
    return np.linalg.solve([around(i) for i in range(N)], points)


def periodic(points):
    """Values of the periodic spline through the points as a function of the span coordinate."""
    through = controls(points)
    return lambda u: around(u) @ through


def quarter(curve, patch):
    """Knots and control points of one quarter of a spline: the same polynomials with knots that end there."""
    spans = N // PATCHES
    knots = np.concatenate([np.zeros(DEGREE), np.arange(spans + 1.0), np.full(DEGREE, float(spans))])
    greville = [knots[i + 1 : i + DEGREE + 1].mean() for i in range(spans + DEGREE)]
    matrix = [basis(knots, DEGREE, u) for u in greville]
    return knots / spans, np.linalg.solve(matrix, [curve(patch * spans + u) for u in greville])


def numbers(values):
    return " ".join(repr(float(value)) for value in values)


def main():
    outer = periodic(np.array([profile(a) for a in ANGLES]))
    inner = periodic(BORE * np.array([-np.sin(ANGLES), np.cos(ANGLES)]).T)
    print('<?xml version="1.0" encoding="UTF-8"?>\n<xml>\n <MultiPatch parDim="3" id="0">')
    print(f'  <patches type="id_range">100 {99 + PATCHES}</patches>')
    for name, side in (("profile", 2), ("bore", 1)):
        print(f'  <boundary name="{name}">{"  ".join(f"{100 + i} {side}" for i in range(PATCHES))}</boundary>')
    print(" </MultiPatch>")
    for patch in range(PATCHES):
        knots, outside = quarter(outer, patch)
        _, inside = quarter(inner, patch)
        print(f' <Geometry type="TensorBSpline3" id="{100 + patch}">\n  <Basis type="TensorBSplineBasis3">')
        for index, (degree, of) in enumerate(((1, [0, 0, 1, 1]), (DEGREE, knots), (1, [0, 0, 1, 1]))):
            print(f'   <Basis type="BSplineBasis" index="{index}"><KnotVector degree="{degree}">{numbers(of)}</KnotVector></Basis>')
        print('  </Basis>\n  <coefs geoDim="3">')
        for z in (-WIDTH / 2, WIDTH / 2):
            for pair in zip(inside, outside):
                for point in pair:
                    print(numbers([*point, z]))
        print("  </coefs>\n </Geometry>")
    print("</xml>")


if __name__ == "__main__":
    main()
