"""Writes the square plate of this folder as shells: python3 plate.py > plate.inp.

N × N four-node shells in the plane z = 0, with a wall of T; the nodes of the four edges are the set `edge`. Units are m, kg and s.
"""

SIDE, T, N = 0.3, 0.001, 24  # side and thickness [m], cells along a side
DENSITY, YOUNG, POISSON = 7800, 210e9, 0.3


def node(i, j):
    return 1 + i + (N + 1) * j


print("*NODE")
for j in range(N + 1):
    for i in range(N + 1):
        print(f"{node(i, j)}, {SIDE * (i / N - 0.5):.6g}, {SIDE * (j / N - 0.5):.6g}, 0")
print("*ELEMENT, TYPE=S4R, ELSET=sheet")
for j in range(N):
    for i in range(N):
        print(f"{1 + i + N * j}, {node(i, j)}, {node(i + 1, j)}, {node(i + 1, j + 1)}, {node(i, j + 1)}")
print("*NSET, NSET=edge")
for k in range(N + 1):
    for label in sorted({node(k, 0), node(k, N), node(0, k), node(N, k)}):
        print(label)
print(f"*SHELL SECTION, ELSET=sheet, MATERIAL=steel\n{T}, 5")
print(f"*MATERIAL, NAME=steel\n*ELASTIC\n{YOUNG:g}, {POISSON}\n*DENSITY\n{DENSITY}")
