// A piston: crown of 7 mm at z = 0, skirt of 4 mm, a bore for the pin along y.
// Units: metres.

SetFactory("OpenCASCADE");
Cylinder(1) = {0, 0, -0.050, 0, 0, 0.050, 0.030};
Cylinder(2) = {0, 0, -0.060, 0, 0, 0.053, 0.026};
Cylinder(3) = {0, -0.040, -0.028, 0, 0.080, 0, 0.009};
BooleanDifference { Volume{1}; Delete; } { Volume{2, 3}; Delete; }
