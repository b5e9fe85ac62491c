"""Writes a link of the chain of this folder as beams: python3 link.py > link.inp.

A ring of N two-node beams with round sections in the plane z = 0; its axis has the radius R. Units are m, kg and s.
"""
from math import cos, pi, sin

R, WIRE, N = 0.02, 0.003, 16  # radius of the axis and of the wire [m], beams
DENSITY, YOUNG, POISSON = 7800, 210e9, 0.3

print("*NODE")
for k in range(N):
    angle = 2 * pi * (k + 0.5) / N
    print(f"{k + 1}, {R * cos(angle):.9g}, {R * sin(angle):.9g}, 0")
print("*ELEMENT, TYPE=B31, ELSET=ring")
for k in range(N):
    print(f"{k + 1}, {k + 1}, {(k + 1) % N + 1}")
print(f"*BEAM SECTION, ELSET=ring, MATERIAL=steel, SECTION=CIRC\n{WIRE}\n0, 0, 1")
print(f"*MATERIAL, NAME=steel\n*ELASTIC\n{YOUNG:g}, {POISSON}\n*DENSITY\n{DENSITY}")
