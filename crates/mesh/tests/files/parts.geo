// The small parts of this folder: two boxes with a common face, and an eighth of a ball.
// gmsh parts.geo -3 and the options of -format, -bin and -order write the .msh files.
SetFactory("OpenCASCADE");
Geometry.OCCTargetUnit = "M";
DefineConstant[ hexahedra = {0, Name "hexahedra"} ];
If (hexahedra)
  Box(1) = {0, 0, 0, 1, 1, 1};
  Box(2) = {1, 0, 0, 1, 1, 1};
  Coherence;
  Transfinite Curve{:} = 3;
  Transfinite Surface{:};
  Recombine Surface{:};
  Transfinite Volume{:};
  Physical Volume("left", 1) = {1};
  Physical Volume("right", 2) = {2};
  Physical Volume("both", 3) = {1, 2};
  low() = Surface In BoundingBox{-0.1, -0.1, -0.1, 2.1, 1.1, 0.1};
  middle() = Surface In BoundingBox{0.9, -0.1, -0.1, 1.1, 1.1, 1.1};
  Physical Surface("low", 4) = {low()};
  Physical Surface("middle", 5) = {middle()};
Else
  Sphere(1) = {0, 0, 0, 1, 0, Pi/2, Pi/2};
  Mesh.MeshSizeMin = 0.6;
  Mesh.MeshSizeMax = 0.6;
  Physical Volume("ball", 1) = {1};
  round() = Surface In BoundingBox{-0.1, -0.1, -0.1, 1.1, 1.1, 1.1};
  Physical Surface(7) = {1};
  Physical Curve("rim", 3) = {2};
  Physical Point("tip", 4) = {1};
EndIf
