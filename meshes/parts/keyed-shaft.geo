// A stepped shaft along x with a keyway in its thick part, up to z = 12.5 mm.
// Units: metres.

SetFactory("OpenCASCADE");
Cylinder(1) = {0, 0, 0, 0.070, 0, 0, 0.0125};
Cylinder(2) = {0.070, 0, 0, 0.050, 0, 0, 0.0085};
shaft() = BooleanUnion { Volume{1}; Delete; } { Volume{2}; Delete; };
Box(3) = {0.010, -0.004, 0.0085, 0.030, 0.008, 0.010};
Cylinder(4) = {0.010, 0, 0.0085, 0, 0, 0.010, 0.004};
Cylinder(5) = {0.040, 0, 0.0085, 0, 0, 0.010, 0.004};
key() = BooleanUnion { Volume{3}; Delete; } { Volume{4, 5}; Delete; };
BooleanDifference { Volume{shaft()}; Delete; } { Volume{key()}; Delete; }
