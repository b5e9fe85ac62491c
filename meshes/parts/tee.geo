// A tee of two pipes of 30 mm outside, walls of 5 mm: one along x, one up to z = 35 mm.
// Units: metres.

SetFactory("OpenCASCADE");
Cylinder(1) = {-0.040, 0, 0, 0.080, 0, 0, 0.015};
Cylinder(2) = {0, 0, 0, 0, 0, 0.035, 0.015};
outside() = BooleanUnion { Volume{1}; Delete; } { Volume{2}; Delete; };
Cylinder(3) = {-0.041, 0, 0, 0.082, 0, 0, 0.010};
Cylinder(4) = {0, 0, 0, 0, 0, 0.036, 0.010};
BooleanDifference { Volume{outside()}; Delete; } { Volume{3, 4}; Delete; }
