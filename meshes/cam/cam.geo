// The mesh of the CAD part cam.step, finer on the flank:
//
//   carom-gmsh cam.geo -o cam.msh
//
// It names those faces that touch and are held; Gmsh numbers them in the order of the STEP file.

SetFactory("OpenCASCADE");
Geometry.OCCTargetUnit = "M";
fine = 0.003;
coarse = 0.005;

part() = ShapeFromFile("cam.step");
Physical Volume("body") = {part()};
Physical Surface("flank") = {5};
Physical Surface("bore") = {8};

MeshSize { PointsOf { Volume { part() }; } } = coarse;
MeshSize { PointsOf { Surface { 5 }; } } = fine;
Mesh.MeshSizeFromCurvature = 6;
