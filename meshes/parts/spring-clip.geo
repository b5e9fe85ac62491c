// A clip of a strip of 12 x 1.5 mm, bent to a U: two legs along x, whose outer faces lie at z = 0 and z = -19 mm.
// Units: metres.

SetFactory("OpenCASCADE");
Box(1) = {0, -0.006, -0.0015, 0.040, 0.012, 0.0015};
Box(2) = {0, -0.006, -0.0190, 0.050, 0.012, 0.0015};
Cylinder(3) = {0, -0.006, -0.0095, 0, 0.012, 0, 0.0095};
Cylinder(4) = {0, -0.010, -0.0095, 0, 0.020, 0, 0.0080};
Box(5) = {0, -0.010, -0.030, 0.020, 0.020, 0.040};
bend() = BooleanDifference { Volume{3}; Delete; } { Volume{4, 5}; Delete; };
BooleanUnion { Volume{1}; Delete; } { Volume{2, bend()}; Delete; }
