// An eccentric: disc of radius 25 mm, its bore 8 mm off the middle. Axis z, the faces at z = 0 and 14 mm.
// Units: metres.

SetFactory("OpenCASCADE");
Cylinder(1) = {0, 0, 0, 0, 0, 0.014, 0.025};
Cylinder(2) = {-0.008, 0, -0.001, 0, 0, 0.020, 0.010};
BooleanDifference { Volume{1}; Delete; } { Volume{2}; Delete; }
