// A housing: box of 80 x 60 x 35 mm with walls of 4 mm, open below, with a bore in its top and two feet.
// Units: metres.

SetFactory("OpenCASCADE");
Box(1) = {-0.040, -0.030, 0, 0.080, 0.060, 0.035};
Box(2) = {-0.052, -0.015, 0, 0.104, 0.030, 0.006};
outside() = BooleanUnion { Volume{1}; Delete; } { Volume{2}; Delete; };
Box(3) = {-0.036, -0.026, -0.001, 0.072, 0.052, 0.032};
Cylinder(4) = {0.012, 0, 0.020, 0, 0, 0.020, 0.012};
Cylinder(5) = {-0.046, 0, -0.001, 0, 0, 0.010, 0.003};
Cylinder(6) = {0.046, 0, -0.001, 0, 0, 0.010, 0.003};
BooleanDifference { Volume{outside()}; Delete; } { Volume{3:6}; Delete; }
