// A bearing cap: block of 70 x 30 x 25 mm with half of a bore of radius 12 mm along y in its top at z = 0, and two bolt holes.
// Units: metres.

SetFactory("OpenCASCADE");
Box(1) = {-0.035, -0.015, -0.025, 0.070, 0.030, 0.025};
Cylinder(2) = {0, -0.020, 0, 0, 0.040, 0, 0.012};
Cylinder(3) = {-0.026, 0, -0.030, 0, 0, 0.040, 0.004};
Cylinder(4) = {0.026, 0, -0.030, 0, 0, 0.040, 0.004};
BooleanDifference { Volume{1}; Delete; } { Volume{2:4}; Delete; }
