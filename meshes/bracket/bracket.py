"""Writes the bent bracket of this folder as an exact solid of three patches: python3 bracket.py > bracket.xml.

A flat leg along x, a quarter of a bend about y, a flat leg along z: a sheet of the thickness T and the width W. Degree 2 throughout; the
bend is rational. Knot spans are about as long as the sheet is thick.
"""

from math import sqrt

LONG, SHORT, W, T = 0.050, 0.040, 0.040, 0.005  # legs, width, thickness [m]
INNER = 0.005  # radius inside of the bend [m]


def knots(spans):
    return [0.0] * 2 + [i / spans for i in range(spans + 1)] + [1.0] * 2


def line(start, end, spans):
    """Knots and control points of a straight line: the means of two knots."""
    at = knots(spans)
    return at, [start + (end - start) * (at[i + 1] + at[i + 2]) / 2 for i in range(spans + 2)]


# Along the sheet: points of its underside, outward directions there, weights. The middle knot of the bend is inserted in homogeneous coordinates.
def leg(start, end, outward, spans):
    at, (x, z) = line(start[0], end[0], spans)[0], [line(start[i], end[i], spans)[1] for i in (0, 1)]
    return at, [(p, outward, 1.0) for p in zip(x, z)]


def bend():
    c, corner = sqrt(0.5), (-INNER, 0.0)
    ends = [((0.0, 0.0), (0.0, -1.0), 1.0), (corner, (-1.0, -1.0), c), ((-INNER, INNER), (-1.0, 0.0), 1.0)]

    def middle(a, b):
        w = (a[2] + b[2]) / 2
        mix = lambda i: tuple((a[2] * p + b[2] * q) / (2 * w) for p, q in zip(a[i], b[i]))
        return mix(0), mix(1), w

    return knots(2), [ends[0], middle(ends[0], ends[1]), middle(ends[1], ends[2]), ends[2]]


# The upper side of the long leg is z = 0 and faces the short leg.
patches = [
    leg((LONG, 0.0), (0.0, 0.0), (0.0, -1.0), 10),
    bend(),
    leg((-INNER, INNER), (-INNER, INNER + SHORT), (-1.0, 0.0), 8),
]
across, width = line(-W / 2, W / 2, 8)
through, depth = line(0.0, T, 1)
text = lambda values: " ".join(repr(float(v)) for v in values)
print('<?xml version="1.0" encoding="UTF-8"?>\n<xml>\n <MultiPatch parDim="3" id="0">')
print('  <patches type="id_range">100 102</patches>')
# Sides of a patch: 1 and 2 its ends, 3 and 4 along y, 5 the inside of the bracket, 6 its outside.
print('  <boundary name="inside">100 5  101 5  102 5</boundary>\n  <boundary name="outside">100 6  101 6  102 6</boundary>')
print(" </MultiPatch>")
for number, (along, points) in enumerate(patches):
    print(f' <Geometry type="TensorNurbs3" id="{100 + number}">\n  <Basis type="TensorNurbsBasis3">\n   <Basis type="TensorBSplineBasis3">')
    for index, of in enumerate((along, across, through)):
        print(f'    <Basis type="BSplineBasis" index="{index}"><KnotVector degree="2">{text(of)}</KnotVector></Basis>')
    rows = [(x + d * nx, y, z + d * nz, w) for d in depth for y in width for (x, z), (nx, nz), w in points]
    print("   </Basis>\n   <weights>\n" + "\n".join(text([row[3]]) for row in rows) + "\n   </weights>\n  </Basis>")
    print('  <coefs geoDim="3">\n' + "\n".join(text(row[:3]) for row in rows) + "\n  </coefs>\n </Geometry>")
print("</xml>")
