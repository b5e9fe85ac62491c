// A pulley: disc with a round groove of radius 11 mm in its rim, hub and bore. Axis z.
// Units: metres.

SetFactory("OpenCASCADE");
Cylinder(1) = {0, 0, -0.009, 0, 0, 0.018, 0.040};
Torus(2) = {0, 0, 0, 0.045, 0.011};
Cylinder(3) = {0, 0, -0.020, 0, 0, 0.040, 0.010};
Cylinder(4) = {0, 0, 0.005, 0, 0, 0.010, 0.026};
BooleanDifference { Volume{1}; Delete; } { Volume{2:4}; Delete; }
