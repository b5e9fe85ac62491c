// A thin plate of 100 x 80 x 2 mm with rounded corners and four holes; its top lies at z = 0.
// Units: metres.

SetFactory("OpenCASCADE");
Rectangle(1) = {-0.050, -0.040, -0.002, 0.100, 0.080, 0.008};
plate() = Extrude {0, 0, 0.002} { Surface{1}; };
For k In {0:3}
  Cylinder(10 + k) = {(k % 2 ? 1 : -1)*0.040, (k < 2 ? 1 : -1)*0.030, -0.003, 0, 0, 0.004, 0.003};
EndFor
BooleanDifference { Volume{plate(1)}; Delete; } { Volume{10:13}; Delete; }
