// A hexagon of 36 mm across flats with a bore. Axis z, the faces at z = 0 and 16 mm.
// Units: metres.

SetFactory("OpenCASCADE");
r = 0.018/Cos(Pi/6);
For k In {0:5}
  Point(1 + k) = {r*Cos((k + 0.5)*Pi/3), r*Sin((k + 0.5)*Pi/3), 0};
EndFor
For k In {0:5}
  Line(1 + k) = {1 + k, 1 + (k + 1) % 6};
EndFor
Curve Loop(1) = {1:6};
Plane Surface(1) = {1};
hexagon() = Extrude {0, 0, 0.016} { Surface{1}; };
Cylinder(2) = {0, 0, -0.001, 0, 0, 0.020, 0.010};
BooleanDifference { Volume{hexagon(1)}; Delete; } { Volume{2}; Delete; }
