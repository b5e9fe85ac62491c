// The blank of a gear: rim, thin web, hub with a bore. Axis z, the faces of the rim at z = -6 and 6 mm.
// Units: metres.

SetFactory("OpenCASCADE");
Cylinder(1) = {0, 0, -0.006, 0, 0, 0.012, 0.040};
Cylinder(2) = {0, 0, 0.003, 0, 0, 0.010, 0.031};
Cylinder(3) = {0, 0, -0.013, 0, 0, 0.010, 0.031};
Cylinder(4) = {0, 0, -0.012, 0, 0, 0.024, 0.014};
Cylinder(5) = {0, 0, -0.020, 0, 0, 0.040, 0.008};
blank() = BooleanDifference { Volume{1}; Delete; } { Volume{2, 3}; Delete; };
with_hub() = BooleanUnion { Volume{blank()}; Delete; } { Volume{4}; Delete; };
part() = BooleanDifference { Volume{with_hub()}; Delete; } { Volume{5}; Delete; };
Physical Volume("body") = {part()};
Mesh.MeshSizeFromCurvature = 8;
