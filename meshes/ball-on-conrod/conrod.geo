// A connecting rod, hit by a ball in the middle of its shank.
//
//   carom-gmsh conrod.geo -o conrod.msh          the mesh, in metres
//   gmsh conrod.geo -setnumber mm 1 -0 -o conrod.step     the CAD file, in millimetres as STEP files are
//
// The rod lies in the plane z = 0, from the big eye around the origin to the small eye around (length, 0, 0).
// Groups: body; big_bore and small_bore, the cylinders of the eyes; impact, a disc on the upper face of the shank around
// the point that the ball hits, with its normal along +z.

SetFactory("OpenCASCADE");
DefineConstant[ mm = {0.001, Name "length of a millimetre"} ];

length = 95*mm;
big_outer = 22*mm;    big_inner = 14*mm;
small_outer = 13*mm;  small_inner = 7.5*mm;
eye_height = 16*mm;
shank_height = 9*mm;  shank_width_big = 24*mm;  shank_width_small = 17*mm;
hollow_depth = 2.5*mm;  hollow_radius = 4.5*mm;  hollow_1 = 36*mm;  hollow_2 = 48*mm;
hit = 66*mm;          // x of the point that the ball hits
zone = 0.75*mm;       // radius of the disc around it
fine = 0.13*mm;       // element size there
coarse = 5*mm;        // element size elsewhere

// Eyes and shank
Cylinder(1) = {0, 0, -eye_height/2, 0, 0, eye_height, big_outer};
Cylinder(2) = {length, 0, -eye_height/2, 0, 0, eye_height, small_outer};
Point(101) = {0, -shank_width_big/2, -shank_height/2};
Point(102) = {length, -shank_width_small/2, -shank_height/2};
Point(103) = {length, shank_width_small/2, -shank_height/2};
Point(104) = {0, shank_width_big/2, -shank_height/2};
Line(101) = {101, 102};  Line(102) = {102, 103};  Line(103) = {103, 104};  Line(104) = {104, 101};
Curve Loop(101) = {101:104};
Plane Surface(101) = {101};
shank() = Extrude{0, 0, shank_height} { Surface{101}; };
BooleanUnion(10) = { Volume{1}; Delete; }{ Volume{2, shank(1)}; Delete; };

// Bores, and two round hollows in the upper and in the lower face of the shank, which save weight
Cylinder(11) = {0, 0, -eye_height, 0, 0, 2*eye_height, big_inner};
Cylinder(12) = {length, 0, -eye_height, 0, 0, 2*eye_height, small_inner};
floor = shank_height/2 - hollow_depth;
Cylinder(21) = {hollow_1, 0, floor, 0, 0, 2*hollow_depth, hollow_radius};
Cylinder(22) = {hollow_2, 0, floor, 0, 0, 2*hollow_depth, hollow_radius};
Cylinder(23) = {hollow_1, 0, -floor, 0, 0, -2*hollow_depth, hollow_radius};
Cylinder(24) = {hollow_2, 0, -floor, 0, 0, -2*hollow_depth, hollow_radius};
BooleanDifference(50) = { Volume{10}; Delete; }{ Volume{11, 12, 21:24}; Delete; };

// The disc around the point that is hit becomes a face of its own
Disk(500) = {hit, 0, shank_height/2, zone};
BooleanFragments{ Volume{50}; Delete; }{ Surface{500}; Delete; }

e = 0.01*mm;
Physical Volume("body") = Volume{:};
Physical Surface("big_bore") = Surface In BoundingBox{-big_inner - e, -big_inner - e, -eye_height/2 - e, big_inner + e, big_inner + e, eye_height/2 + e};
Physical Surface("small_bore") = Surface In BoundingBox{length - small_inner - e, -small_inner - e, -eye_height/2 - e, length + small_inner + e, small_inner + e, eye_height/2 + e};
Physical Surface("impact") = Surface In BoundingBox{hit - zone - e, -zone - e, shank_height/2 - e, hit + zone + e, zone + e, shank_height/2 + e};

// Sizes: fine on the disc, growing with the distance from it
Field[1] = MathEval;
Field[1].F = Sprintf("%g + %g*Fabs(Max(Sqrt((x-%g)^2 + y^2 + (z-%g)^2) - %g, 0))", fine, 0.45, hit, shank_height/2, zone);
Background Field = 1;
Mesh.MeshSizeMax = coarse;
Mesh.MeshSizeFromPoints = 0;
Mesh.MeshSizeExtendFromBoundary = 0;
Mesh.MeshSizeFromCurvature = 12;
