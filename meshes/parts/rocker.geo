// A rocker arm: pivot with a bore along y, two arms along x whose tops lie at z = 8 mm.
// Units: metres.

SetFactory("OpenCASCADE");
Box(1) = {-0.050, -0.007, -0.004, 0.045, 0.014, 0.012};
Box(2) = {0, -0.007, -0.004, 0.040, 0.014, 0.012};
Cylinder(3) = {0, -0.012, 0, 0, 0.024, 0, 0.014};
arm() = BooleanUnion { Volume{1}; Delete; } { Volume{2, 3}; Delete; };
Cylinder(4) = {0, -0.020, 0, 0, 0.040, 0, 0.008};
BooleanDifference { Volume{arm()}; Delete; } { Volume{4}; Delete; }
