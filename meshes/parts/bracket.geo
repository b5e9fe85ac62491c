// An angle bracket with two bolt holes and a rib; the foot lies below z = 0, the wall stands at x = -30 mm.
// Units: metres.

SetFactory("OpenCASCADE");
Box(1) = {-0.030, -0.020, -0.006, 0.060, 0.040, 0.006};
Box(2) = {-0.030, -0.020, -0.006, 0.008, 0.040, 0.046};
Cylinder(3) = {0.018, -0.011, -0.010, 0, 0, 0.020, 0.004};
Cylinder(4) = {0.018, 0.011, -0.010, 0, 0, 0.020, 0.004};
Point(101) = {-0.022, -0.003, 0};
Point(102) = {-0.002, -0.003, 0};
Point(103) = {-0.022, -0.003, 0.022};
Line(101) = {101, 102};
Line(102) = {102, 103};
Line(103) = {103, 101};
Curve Loop(101) = {101, 102, 103};
Plane Surface(101) = {101};
rib() = Extrude {0, 0.006, 0} { Surface{101}; };
angle() = BooleanUnion { Volume{1}; Delete; } { Volume{2, rib(1)}; Delete; };
part() = BooleanDifference { Volume{angle()}; Delete; } { Volume{3, 4}; Delete; };
Physical Volume("body") = {part()};
Mesh.MeshSizeFromCurvature = 8;
