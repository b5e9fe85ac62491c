// A flange: disc with six bolt holes, hub and bore. Axis z, the disc from z = 0 to 10 mm.
// Units: metres.

SetFactory("OpenCASCADE");
Cylinder(1) = {0, 0, 0, 0, 0, 0.010, 0.040};
Cylinder(2) = {0, 0, 0, 0, 0, 0.025, 0.018};
body() = BooleanUnion { Volume{1}; Delete; } { Volume{2}; Delete; };
Cylinder(10) = {0, 0, -0.001, 0, 0, 0.030, 0.010};
For k In {0:5}
  Cylinder(11 + k) = {0.031*Cos(k*Pi/3), 0.031*Sin(k*Pi/3), -0.001, 0, 0, 0.012, 0.0035};
EndFor
BooleanDifference { Volume{body()}; Delete; } { Volume{10:16}; Delete; }
