// A block with a spherical hollow of radius 10.5 mm, 6 mm deep below its top at z = 0.
// Units: metres.

SetFactory("OpenCASCADE");
Box(1) = {-0.020, -0.020, -0.025, 0.040, 0.040, 0.025};
Sphere(2) = {0, 0, 0.0045, 0.0105};
BooleanDifference { Volume{1}; Delete; } { Volume{2}; Delete; }
