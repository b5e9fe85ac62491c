// A ring of 80 mm outside, walls of 4 mm, 20 mm wide. Axis z, from z = -10 to 10 mm.
// Units: metres.

SetFactory("OpenCASCADE");
Cylinder(1) = {0, 0, -0.010, 0, 0, 0.020, 0.040};
Cylinder(2) = {0, 0, -0.011, 0, 0, 0.022, 0.036};
BooleanDifference { Volume{1}; Delete; } { Volume{2}; Delete; }
