// A block with two bores; the place of the impact, (0, 0, 0), lies on a bridge of 10 mm above one of them.
// Units: metres.

SetFactory("OpenCASCADE");
Box(1) = {-0.020, -0.020, -0.030, 0.060, 0.050, 0.030};
Cylinder(2) = {0, -0.030, -0.015, 0, 0.070, 0, 0.005};
Cylinder(3) = {0.026, 0.012, -0.040, 0, 0, 0.050, 0.006};
part() = BooleanDifference { Volume{1}; Delete; } { Volume{2, 3}; Delete; };
Physical Volume("body") = {part()};
Mesh.MeshSizeFromCurvature = 8;
