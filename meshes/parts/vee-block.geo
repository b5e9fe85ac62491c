// A block of 50 x 40 x 30 mm with a groove of 90 degrees along x, 10 mm deep; its top lies at z = 0.
// Units: metres.

SetFactory("OpenCASCADE");
Box(1) = {-0.025, -0.020, -0.030, 0.050, 0.040, 0.030};
Point(101) = {-0.030, -0.010, 0};
Point(102) = {-0.030, 0.010, 0};
Point(103) = {-0.030, 0, -0.010};
Line(101) = {101, 102};
Line(102) = {102, 103};
Line(103) = {103, 101};
Curve Loop(101) = {101, 102, 103};
Plane Surface(101) = {101};
groove() = Extrude {0.060, 0, 0} { Surface{101}; };
BooleanDifference { Volume{1}; Delete; } { Volume{groove(1)}; Delete; }
