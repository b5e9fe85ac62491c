// A fork end: shank along x, two prongs with a bore along y; their tops lie at z = 10 mm.
// Units: metres.

SetFactory("OpenCASCADE");
Box(1) = {-0.030, -0.014, -0.010, 0.050, 0.028, 0.020};
Cylinder(2) = {0.020, -0.014, 0, 0, 0.028, 0, 0.010};
Cylinder(3) = {-0.070, 0, 0, 0.045, 0, 0, 0.009};
body() = BooleanUnion { Volume{1}; Delete; } { Volume{2, 3}; Delete; };
Box(4) = {-0.012, -0.006, -0.020, 0.050, 0.012, 0.040};
Cylinder(5) = {0.020, -0.020, 0, 0, 0.040, 0, 0.005};
BooleanDifference { Volume{body()}; Delete; } { Volume{4, 5}; Delete; }
